#!/bin/sh
# Sheds as much as it can at once: the heaviest tile, the most cards; keeps bombs, never settles.
# It reads a turn line by line: actions are the lines that begin with a number, and `?` asks for one.

best=1 most=-100

weigh() { # NUMBER ACTION [WORD...]
    number=$1 worth=0
    shift
    case $1,$2 in
    discard,*) worth=$((0 - ${2%-*} - ${2#*-})) ;;                # the lightest tile goes face down
    play,*-*) worth=$((1 + ${2%-*} + ${2#*-})) ;;
    play,*) worth=$((10 * ($# - 1))) && is_bomb "$@" && worth=1 ;;
    settle,*) worth=-99 ;;
    esac
    if [ "$worth" -gt "$most" ]; then
        best=$number most=$worth
    fi
}

is_bomb() { # play CARD... [as TYPE]; cards stand in the order of their ranks
    case "$*" in *' as bomb') return 0 ;; esac
    [ $# -eq 5 ] && [ "${2%?}" = "${5%?}" ]
}

while IFS= read -r line; do
    case $line in
    [0-9]*'. '*) weigh "${line%%.*}" ${line#*. } ;;               # without quotes: one word each
    '?') echo "$best" && best=1 most=-100 ;;
    esac
done
