// How this bot plays: put your own idea here. choose sees one turn, which is whole in itself.
package main

import (
	"slices"

	pb "example.org/sample-bot/refereev1"
)

var games = []string{"block_dominoes", "guan_pai", "mexican_train", "ding_niu"}

// prepare runs once before the bot connects: the place to load a model. No clock runs yet.
func prepare() {}

// onMatch runs before the bot says that it is ready for a match: options and opponents stand in started.
func onMatch(started *pb.MatchStarted) {}

// choose returns the legal action that is worth most; the first of several.
func choose(turn *pb.Turn) *pb.Action {
	return slices.MaxFunc(turn.LegalActions, func(one, other *pb.Action) int {
		return value(turn.Observation, one) - value(turn.Observation, other)
	})
}

func value(table *pb.Observation, action *pb.Action) int {
	switch game := action.Game.(type) {
	case *pb.Action_BlockDominoes:
		return blockDominoes(game.BlockDominoes)
	case *pb.Action_GuanPai:
		return guanPai(table.GetGuanPai(), game.GuanPai)
	case *pb.Action_MexicanTrain:
		return mexicanTrain(table.GetMexicanTrain().GetPublic(), game.MexicanTrain)
	case *pb.Action_DingNiu:
		return dingNiu(game.DingNiu)
	}
	return 0 // a game that is newer than this bot
}

// A tile is 16 * low + high.
func pips(tile int32) int      { return int(tile>>4 + tile&15) }
func isDouble(tile int32) bool { return tile>>4 == tile&15 }

// blockDominoes gets rid of doubles first, as they fit one number only; then of the heaviest tile.
func blockDominoes(play *pb.BlockDominoesAction) int {
	if isDouble(play.Tile) {
		return 13 + pips(play.Tile)
	}
	return pips(play.Tile)
}

// mexicanTrain plays the heaviest tile, on the own train rather than on one that is open to all.
func mexicanTrain(table *pb.MexicanTrainPublic, action *pb.MexicanTrainAction) int {
	if action.Kind != pb.MexicanTrainActionKind_MEXICAN_TRAIN_ACTION_KIND_PLAY {
		return -1
	}
	if action.Train == table.GetToActSeat() {
		return 2*pips(action.Tile) + 1
	}
	return 2 * pips(action.Tile)
}

// dingNiu plays the heaviest tile that fits, or puts the lightest down; it never settles of its own will.
func dingNiu(action *pb.DingNiuAction) int {
	switch action.Kind {
	case pb.DingNiuActionKind_DING_NIU_ACTION_KIND_PLAY:
		return 100 + pips(action.Tile)
	case pb.DingNiuActionKind_DING_NIU_ACTION_KIND_DISCARD:
		return 50 - pips(action.Tile)
	case pb.DingNiuActionKind_DING_NIU_ACTION_KIND_CONTINUE:
		return 1
	}
	return 0
}

// A card is 4 * rank + suit, with the ranks 3 4 5 6 7 8 9 T J Q K A 2 = 0..12.
func rank(card int32) int { return int(card >> 2) }

const ace = 11

// guanPai leads as many cards as go together, low ones first; it beats with the lowest, and keeps its
// bombs for the end.
func guanPai(table *pb.GuanPaiObservation, action *pb.GuanPaiAction) int {
	seen, cards := table.GetPublic(), action.Cards
	if action.Kind != pb.GuanPaiActionKind_GUAN_PAI_ACTION_KIND_PLAY {
		return 0
	}
	if len(cards) == len(table.GetPrivate().GetHandCards()) {
		return 10_000
	}
	if isBomb(cards) {
		if slices.Min(seen.HandCounts) <= 3 {
			return 1
		}
		return -1
	}
	next := seen.HandCounts[int(seen.ToActSeat+1)%len(seen.HandCounts)]
	if len(cards) == 1 && next == 1 {
		return 1 + rank(cards[0]) // the highest one: the next seat must not win by it
	}
	height := 0
	for _, card := range cards {
		height += 10 * rank(card) / len(cards)
	}
	if seen.TopPlay == nil {
		return 1000 - height + 130*len(cards)
	}
	return 1000 - height
}

// isBomb tells four of a rank and three aces, alone or with one more card.
func isBomb(cards []int32) bool {
	var count [13]int
	for _, card := range cards {
		count[rank(card)]++
	}
	return len(cards) <= 5 && slices.Max(count[:]) == 4 || len(cards) <= 4 && count[ace] == 3
}
