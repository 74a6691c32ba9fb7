//! How this bot plays: put your own idea here. `choose` sees one turn, which is whole in itself.
use crate::contract::action::Game;
use crate::contract::observation::Game as Table;
use crate::contract::{
    Action, BlockDominoesAction, DingNiuAction, DingNiuActionKind, GuanPaiAction, GuanPaiActionKind,
    GuanPaiObservation, MatchStarted, MexicanTrainAction, MexicanTrainActionKind, MexicanTrainObservation,
    Observation, Turn,
};

pub const GAMES: [&str; 4] = ["block_dominoes", "guan_pai", "mexican_train", "ding_niu"];

/// Runs once before the bot connects: the place to load a model. No clock runs yet.
pub fn prepare() {}

/// Runs before the bot says that it is ready for a match: options and opponents stand in `started`.
pub fn on_match(_started: &MatchStarted) {}

/// Returns the legal action that is worth most; the last of several.
pub fn choose(turn: Turn) -> Action {
    let table = turn.observation.unwrap_or_default();
    let actions = turn.legal_actions.into_iter();
    let best = actions.max_by_key(|action| value(&table, action));
    best.expect("a turn lists at least one legal action")
}

fn value(table: &Observation, action: &Action) -> i32 {
    match (&table.game, &action.game) {
        (_, Some(Game::BlockDominoes(action))) => block_dominoes(action),
        (Some(Table::GuanPai(table)), Some(Game::GuanPai(action))) => guan_pai(table, action),
        (Some(Table::MexicanTrain(table)), Some(Game::MexicanTrain(action))) => mexican_train(table, action),
        (_, Some(Game::DingNiu(action))) => ding_niu(action),
        _ => 0, // a game that is newer than this bot
    }
}

/// A tile is 16 * low + high.
fn pips(tile: i32) -> i32 {
    (tile >> 4) + (tile & 15)
}

fn is_double(tile: i32) -> bool {
    tile >> 4 == tile & 15
}

/// Gets rid of doubles first, as they fit one number only; then of the heaviest tile.
fn block_dominoes(action: &BlockDominoesAction) -> i32 {
    pips(action.tile) + if is_double(action.tile) { 13 } else { 0 }
}

/// Plays the heaviest tile, on the own train rather than on one that is open to all.
fn mexican_train(table: &MexicanTrainObservation, action: &MexicanTrainAction) -> i32 {
    if action.kind() != MexicanTrainActionKind::Play {
        return -1;
    }
    let own = table.public.as_ref().map(|public| public.to_act_seat);
    2 * pips(action.tile) + i32::from(own == Some(action.train))
}

/// Plays the heaviest tile that fits, or puts the lightest down; never settles of its own will.
fn ding_niu(action: &DingNiuAction) -> i32 {
    match action.kind() {
        DingNiuActionKind::Play => 100 + pips(action.tile),
        DingNiuActionKind::Discard => 50 - pips(action.tile),
        DingNiuActionKind::Continue => 1,
        DingNiuActionKind::Settle | DingNiuActionKind::Unspecified => 0,
    }
}

/// A card is 4 * rank + suit, with the ranks 3 4 5 6 7 8 9 T J Q K A 2 = 0..12.
fn rank(card: i32) -> i32 {
    card >> 2
}

const ACE: i32 = 11;

/// Leads as many cards as go together, low ones first; beats with the lowest; keeps bombs for the end.
fn guan_pai(table: &GuanPaiObservation, action: &GuanPaiAction) -> i32 {
    let (Some(seen), Some(own)) = (&table.public, &table.private) else {
        return 0;
    };
    let cards = &action.cards;
    if action.kind() != GuanPaiActionKind::Play || cards.is_empty() {
        return 0;
    }
    if cards.len() == own.hand_cards.len() {
        return 10_000;
    }
    if is_bomb(cards) {
        return if seen.hand_counts.iter().any(|&count| count <= 3) { 1 } else { -1 };
    }
    let next = seen.hand_counts.iter().cycle().nth(seen.to_act_seat as usize + 1);
    if cards.len() == 1 && next == Some(&1) {
        return 1 + rank(cards[0]); // the highest one: the next seat must not win by it
    }
    let count = cards.len() as i32;
    let height = cards.iter().map(|&card| 10 * rank(card)).sum::<i32>() / count;
    1000 - height + if seen.top_play.is_none() { 130 * count } else { 0 }
}

/// Tells four of a rank and three aces, alone or with one more card.
fn is_bomb(cards: &[i32]) -> bool {
    let count = |wanted| cards.iter().filter(|&&card| rank(card) == wanted).count();
    let four = cards.iter().any(|&card| count(rank(card)) == 4);
    four && cards.len() <= 5 || cards.len() <= 4 && count(ACE) == 3
}
