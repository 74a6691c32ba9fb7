// How this bot plays: put your own idea here. choose sees one turn, which is whole in itself.
#include "strategy.hpp"

#include <algorithm>

namespace pb = referee::v1;

// Runs once before the bot connects: the place to load a model. No clock runs yet.
void prepare() {}

// Runs before the bot says that it is ready for a match: options and opponents stand in started.
void on_match(const pb::MatchStarted&) {}

namespace {

// A tile is 16 * low + high.
int low(int tile) { return tile >> 4; }
int high(int tile) { return tile & 15; }
int pips(int tile) { return low(tile) + high(tile); }

// Doubles first, as they fit one number only; then heavy tiles, and ends that the next seat cannot join.
int block_dominoes(const pb::BlockDominoesPublic& table, const pb::BlockDominoesAction& play) {
  const int tile = play.tile();
  if (low(tile) == high(tile)) return 100 + pips(tile);
  const auto& line = table.line_tiles();
  if (line.empty()) return pips(tile);
  const bool left = play.end() == pb::BLOCK_DOMINOES_END_LEFT;
  const int joined = left ? low(*line.begin()) : high(*line.rbegin());
  const int opened = pips(tile) - joined;
  const int next = (table.to_act_seat() + 1) % table.absent_numbers_size();
  return pips(tile) + (table.absent_numbers(next) >> opened & 1 ? 6 : 0);
}

// The heaviest tile; on the own train rather than on one that is open to all.
int mexican_train(const pb::MexicanTrainPublic& table, const pb::MexicanTrainAction& action) {
  if (action.kind() != pb::MEXICAN_TRAIN_ACTION_KIND_PLAY) return -1;
  return 2 * pips(action.tile()) + (action.train() == table.to_act_seat());
}

// The heaviest tile that fits, or the lightest is put down; it never settles of its own will.
int ding_niu(const pb::DingNiuAction& action) {
  switch (action.kind()) {
    case pb::DING_NIU_ACTION_KIND_PLAY: return 100 + pips(action.tile());
    case pb::DING_NIU_ACTION_KIND_DISCARD: return 50 - pips(action.tile());
    case pb::DING_NIU_ACTION_KIND_CONTINUE: return 1;
    default: return 0;
  }
}

// A card is 4 * rank + suit, with the ranks 3 4 5 6 7 8 9 T J Q K A 2 = 0..12.
int rank(int card) { return card >> 2; }
constexpr int ace = 11;

using Cards = google::protobuf::RepeatedField<int>;

// Tells four of a rank and three aces, alone or with one more card.
bool is_bomb(const Cards& cards) {
  std::array<int, 13> count{};
  for (const int card : cards) ++count[rank(card)];
  return (cards.size() <= 5 && std::ranges::max(count) == 4) || (cards.size() <= 4 && count[ace] == 3);
}

// Leads as many cards as go together, low ones first; beats with the lowest; keeps bombs for the end.
int guan_pai(const pb::GuanPaiObservation& table, const pb::GuanPaiAction& action) {
  const auto& seen = table.public_();
  const auto& cards = action.cards();
  const auto& counts = seen.hand_counts();
  if (action.kind() != pb::GUAN_PAI_ACTION_KIND_PLAY) return 0;
  if (cards.size() == table.private_().hand_cards_size()) return 10'000;
  if (is_bomb(cards)) return std::ranges::min(counts) <= 3 ? 1 : -1;
  if (cards.size() == 1 && counts[(seen.to_act_seat() + 1) % counts.size()] == 1)
    return 1 + rank(cards[0]);  // the highest one: the next seat must not win by it
  int height = 0;
  for (const int card : cards) height += 10 * rank(card) / cards.size();
  return 1000 - height + (seen.has_top_play() ? 0 : 130 * cards.size());
}

int value(const pb::Observation& table, const pb::Action& action) {
  switch (action.game_case()) {
    case pb::Action::kBlockDominoes:
      return block_dominoes(table.block_dominoes().public_(), action.block_dominoes());
    case pb::Action::kGuanPai: return guan_pai(table.guan_pai(), action.guan_pai());
    case pb::Action::kMexicanTrain:
      return mexican_train(table.mexican_train().public_(), action.mexican_train());
    case pb::Action::kDingNiu: return ding_niu(action.ding_niu());
    default: return 0;  // a game that is newer than this bot
  }
}

}  // namespace

// Returns the legal action that is worth most; the first of several.
const pb::Action& choose(const pb::Turn& turn) {
  return *std::ranges::max_element(
      turn.legal_actions(), {}, [&](const pb::Action& action) { return value(turn.observation(), action); });
}
