// How this bot plays: put your own idea here. `choose` sees one turn, which is whole in itself.
import type { Action__Output as Action } from "./generated/referee/v1/Action.js";
import type { BlockDominoesAction__Output as DominoPlay } from "./generated/referee/v1/BlockDominoesAction.js";
import type { DingNiuAction__Output as DingNiuAction } from "./generated/referee/v1/DingNiuAction.js";
import type { GuanPaiAction__Output as GuanPaiAction } from "./generated/referee/v1/GuanPaiAction.js";
import type { GuanPaiObservation__Output as GuanPaiTable } from "./generated/referee/v1/GuanPaiObservation.js";
import type { MatchStarted__Output as MatchStarted } from "./generated/referee/v1/MatchStarted.js";
import type { MexicanTrainAction__Output as TrainAction } from "./generated/referee/v1/MexicanTrainAction.js";
import type { MexicanTrainObservation__Output as TrainTable } from "./generated/referee/v1/MexicanTrainObservation.js";
import type { Turn__Output as Turn } from "./generated/referee/v1/Turn.js";

export const games = ["block_dominoes", "guan_pai", "mexican_train", "ding_niu"];

/** Runs once before the bot connects: the place to load a model. No clock runs yet. */
export async function prepare(): Promise<void> {}

/** Runs before the bot says that it is ready for a match: options and opponents stand in `started`. */
export function onMatch(_started: MatchStarted): void {}

/** Returns the legal action that is worth most; the first of several. */
export function choose(turn: Turn): Action {
  let best: Action | undefined;
  let most = -Infinity;
  for (const action of turn.legalActions) {
    const worth = value(turn, action);
    if (worth > most) [best, most] = [action, worth];
  }
  if (best === undefined) throw new Error(`turn ${turn.turnId} of match ${turn.matchId} lists no action`);
  return best;
}

function value({ observation }: Turn, action: Action): number {
  if (action.blockDominoes) return blockDominoes(action.blockDominoes);
  if (action.guanPai && observation?.guanPai) return guanPai(observation.guanPai, action.guanPai);
  if (action.mexicanTrain && observation?.mexicanTrain) {
    return mexicanTrain(observation.mexicanTrain, action.mexicanTrain);
  }
  if (action.dingNiu) return dingNiu(action.dingNiu);
  return 0; // a game that is newer than this bot
}

/** A tile is 16 * low + high. */
const pips = (tile: number) => (tile >> 4) + (tile & 15);
const isDouble = (tile: number) => tile >> 4 === (tile & 15);

/** Doubles first, as they fit one number only; then the heaviest tile. */
function blockDominoes({ tile }: DominoPlay): number {
  return pips(tile) + (isDouble(tile) ? 13 : 0);
}

/** The heaviest tile; on the own train rather than on that of others, which stays open for all. */
function mexicanTrain({ public: table }: TrainTable, { kind, tile, train }: TrainAction): number {
  if (kind !== "MEXICAN_TRAIN_ACTION_KIND_PLAY") return -1;
  return pips(tile) + (train === table?.toActSeat ? 0.5 : 0);
}

/** The heaviest tile that fits, or the lightest is put down; it never settles of its own will. */
function dingNiu({ kind, tile }: DingNiuAction): number {
  switch (kind) {
    case "DING_NIU_ACTION_KIND_PLAY":
      return 100 + pips(tile);
    case "DING_NIU_ACTION_KIND_DISCARD":
      return 50 - pips(tile);
    case "DING_NIU_ACTION_KIND_CONTINUE":
      return 1;
    default:
      return 0;
  }
}

/** A card is 4 * rank + suit, with the ranks 3 4 5 6 7 8 9 T J Q K A 2 = 0..12. */
const rank = (card: number) => card >> 2;
const ACE = 11;

/** Leads as many cards as go together, low ones first; beats with the lowest; keeps bombs for the end. */
function guanPai({ public: table, private: own }: GuanPaiTable, { kind, cards }: GuanPaiAction): number {
  if (kind !== "GUAN_PAI_ACTION_KIND_PLAY" || !table || !own) return 0;
  if (cards.length === own.handCards.length) return 1000;
  if (isBomb(cards)) return table.handCounts.some((count) => count <= 3) ? 1 : -1;
  const next = table.handCounts[(table.toActSeat + 1) % table.handCounts.length];
  if (cards.length === 1 && next === 1) return 1 + rank(cards[0] ?? 0); // the highest: it must not win by it
  const height = cards.reduce((sum, card) => sum + rank(card), 0) / cards.length;
  return 100 - height + (table.topPlay ? 0 : 13 * cards.length);
}

/** Four of a rank or three aces, alone or with one more card. */
function isBomb(cards: number[]): boolean {
  const count = (wanted: number) => cards.filter((card) => rank(card) === wanted).length;
  const four = cards.length <= 5 && cards.some((card) => count(rank(card)) === 4);
  return four || (cards.length >= 3 && cards.length <= 4 && count(ACE) === 3);
}
