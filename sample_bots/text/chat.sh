#!/bin/sh
# Lets a chat model play, by any command line tool that reads a prompt and prints the reply:
#   adapter.py --each-turn -- chat.sh [-r RULES] TOOL [ARGUMENT...]
# RULES is a file with the rules of the game, which the model is told before each turn.

rules=/dev/null
if [ "$1" = -r ]; then
    rules=$2
    shift 2
fi

{
    cat <<'END'
You play a game at a table with others. What you may know of it now follows, and all that you may do.
Think about it as long as you need. Then end your reply with one line that names your choice by its
number in the list, and nothing else, like this:
ANSWER: 1

END
    cat "$rules" -
} | "$@" | tr -d '*`\r' |
    sed -n 's/^.*[Aa][Nn][Ss][Ww][Ee][Rr] *: *\([^ .].*\)$/\1/p' | sed 's/[ .]*$//' | tail -n 1
