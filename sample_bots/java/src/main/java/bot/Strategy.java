package bot;

import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import referee.v1.BlockDominoes.BlockDominoesAction;
import referee.v1.BlockDominoes.BlockDominoesEnd;
import referee.v1.BlockDominoes.BlockDominoesObservation;
import referee.v1.DingNiu.DingNiuAction;
import referee.v1.Game.Action;
import referee.v1.Game.Observation;
import referee.v1.GuanPai.GuanPaiAction;
import referee.v1.GuanPai.GuanPaiActionKind;
import referee.v1.GuanPai.GuanPaiObservation;
import referee.v1.MexicanTrain.MexicanTrainAction;
import referee.v1.MexicanTrain.MexicanTrainActionKind;
import referee.v1.MexicanTrain.MexicanTrainPublic;
import referee.v1.PlayServiceOuterClass.MatchStarted;
import referee.v1.PlayServiceOuterClass.Turn;

/** How this bot plays: put your own idea here. {@link #choose} sees one turn, which is whole in itself. */
final class Strategy {
  static final List<String> GAMES = List.of("block_dominoes", "guan_pai", "mexican_train", "ding_niu");

  private static final int ACE = 11;

  private Strategy() {}

  /** Runs once before the bot connects: the place to load a model. No clock runs yet. */
  static void prepare() {}

  /** Runs before the bot says that it is ready for a match: options and opponents stand in it. */
  static void onMatch(MatchStarted started) {}

  /** Returns the legal action that is worth most. */
  static Action choose(Turn turn) {
    var worth = Comparator.comparingInt((Action action) -> value(turn.getObservation(), action));
    return turn.getLegalActionsList().stream().max(worth).orElseThrow();
  }

  private static int value(Observation table, Action action) {
    return switch (action.getGameCase()) {
      case BLOCK_DOMINOES -> blockDominoes(table.getBlockDominoes(), action.getBlockDominoes());
      case GUAN_PAI -> guanPai(table.getGuanPai(), action.getGuanPai());
      case MEXICAN_TRAIN -> mexicanTrain(table.getMexicanTrain().getPublic(), action.getMexicanTrain());
      case DING_NIU -> dingNiu(action.getDingNiu());
      default -> 0; // a game that is newer than this bot
    };
  }

  // A tile is 16 * low + high.
  private static int low(int tile) {
    return tile >> 4;
  }

  private static int high(int tile) {
    return tile & 15;
  }

  private static int pips(int tile) {
    return low(tile) + high(tile);
  }

  /** Doubles first, as they fit one number only; then heavy tiles, and ends that the hand can join next. */
  private static int blockDominoes(BlockDominoesObservation table, BlockDominoesAction play) {
    int tile = play.getTile();
    if (low(tile) == high(tile)) {
      return 100 + pips(tile);
    }
    var line = table.getPublic().getLineTilesList();
    if (line.isEmpty()) {
      return pips(tile);
    }
    boolean left = play.getEnd() == BlockDominoesEnd.BLOCK_DOMINOES_END_LEFT;
    int joined = left ? low(line.get(0)) : high(line.get(line.size() - 1));
    int opened = pips(tile) - joined;
    long followers = table.getPrivate().getHandTilesList().stream()
        .filter(other -> other != tile && (low(other) == opened || high(other) == opened))
        .count();
    return pips(tile) + 2 * (int) followers;
  }

  /** The heaviest tile; on trains of others while they are open, unless the own one is open to them. */
  private static int mexicanTrain(MexicanTrainPublic table, MexicanTrainAction action) {
    if (action.getKind() != MexicanTrainActionKind.MEXICAN_TRAIN_ACTION_KIND_PLAY) {
      return -1;
    }
    int seat = table.getToActSeat();
    boolean own = action.getTrain() == seat;
    boolean marked = seat < table.getTrainsCount() && table.getTrains(seat).getMarked();
    return 2 * pips(action.getTile()) + (own == marked ? 1 : 0);
  }

  /** The heaviest tile that fits, or the lightest is put down; it never settles of its own will. */
  private static int dingNiu(DingNiuAction action) {
    return switch (action.getKind()) {
      case DING_NIU_ACTION_KIND_PLAY -> 100 + pips(action.getTile());
      case DING_NIU_ACTION_KIND_DISCARD -> 50 - pips(action.getTile());
      case DING_NIU_ACTION_KIND_CONTINUE -> 1;
      default -> 0;
    };
  }

  /** A card is 4 * rank + suit, with the ranks 3 4 5 6 7 8 9 T J Q K A 2 = 0..12. */
  private static int rank(int card) {
    return card >> 2;
  }

  /** Leads as many cards as go together, low ones first; beats with the lowest; keeps bombs for the end. */
  private static int guanPai(GuanPaiObservation table, GuanPaiAction action) {
    var counts = table.getPublic().getHandCountsList();
    var cards = action.getCardsList();
    if (action.getKind() != GuanPaiActionKind.GUAN_PAI_ACTION_KIND_PLAY) {
      return 0;
    }
    if (cards.size() == table.getPrivate().getHandCardsCount()) {
      return 10_000;
    }
    if (isBomb(cards)) {
      return Collections.min(counts) <= 4 ? 1 : -1; // it doubles what the loser pays
    }
    if (cards.size() == 1 && counts.get((table.getPublic().getToActSeat() + 1) % counts.size()) == 1) {
      return 1 + rank(cards.get(0)); // the highest one: the next seat must not win by it
    }
    int top = cards.stream().mapToInt(Strategy::rank).max().orElse(0);
    return 1000 - top + (table.getPublic().hasTopPlay() ? 0 : 10 * cards.size());
  }

  /** Tells four of a rank and three aces, alone or with one more card. */
  private static boolean isBomb(List<Integer> cards) {
    var count = new int[13];
    cards.forEach(card -> count[rank(card)]++);
    boolean four = cards.size() <= 5 && cards.stream().anyMatch(card -> count[rank(card)] == 4);
    return four || cards.size() <= 4 && count[ACE] == 3;
  }
}
