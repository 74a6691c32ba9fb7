// Rates seasons with the npm implementation of OpenSkill. Standard input holds them as JSON: for each
// season a list of matches, for each match the strict orders that stand for its result, best first, as
// lists of players. A match moves each player to the mean of the updates for these orders. Standard
// output gets, for each season, [mu, sigma] by player.
import { readFileSync } from "node:fs";
import { rate, rating } from "openskill";

const TAU = 25 / 300;

function play(ratings, orders) {
  const sums = new Map();
  for (const order of orders) {
    const updated = rate(order.map((player) => [ratings.get(player) ?? rating()]), { tau: TAU });
    order.forEach((player, place) => {
      const [mu, sigma] = sums.get(player) ?? [0, 0];
      sums.set(player, [mu + updated[place][0].mu, sigma + updated[place][0].sigma]);
    });
  }
  for (const [player, [mu, sigma]] of sums) {
    ratings.set(player, { mu: mu / orders.length, sigma: sigma / orders.length });
  }
}

function season(matches) {
  const ratings = new Map();
  matches.forEach((orders) => play(ratings, orders));
  return Object.fromEntries([...ratings].map(([player, { mu, sigma }]) => [player, [mu, sigma]]));
}

console.log(JSON.stringify(JSON.parse(readFileSync(0, "utf8")).map(season)));
