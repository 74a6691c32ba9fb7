// Checks replay logs without knowing any game. Written from replays/README.md alone; shares no code with
// the referee. Usage: node verify.mjs [--key PUB.pem] FILE... One line for each file; status 1 if one is bad.

import { createHash, createHmac, createPublicKey, verify as verifySignature } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { basename } from "node:path";

const HEADER = "schema engine_version game rules_version match_id deal_group pairing_id attempt tournament? "
  + "anonymous? block? branch? rated options time_control penalties seats commitment provable created";
const KINDS = {
  ready: "seat entropy",
  deal: "deal draws order events",
  turn: "seat turn budget bank",
  act: "seat turn ply action start think credit bank events",
  rejected: "seat turn fault form raw reason retries start credit",
  default: "seat turn ply action cause start think budget credit bank events",
  strike: "seat fault strikes start credit",
  forfeit: "seat", dropped: "seat", rejoined: "seat", gone: "seat",
  stall: "duration reason", resumed: "duration",
  deal_result: "deal scores totals state",
  end: "termination note at_fault places plies secret contributions",
};
const INNER = {
  time_control: "base bank increment join start",
  penalties: "retries strikes strays max_plies",
  seats: "owner bot name version instance",
  block: "kind part parts contributions?",
  branch: "match_id last_hash ply",
  places: "seat rank score points forfeited strikes faults",
};
const WORDS = {
  fault: "late illegal malformed stale future not_your_turn conflicting rate_limited dropped no_show",
  form: "action index text malformed none",
  cause: "late illegal malformed forfeited",
  termination: "completed forfeited adjudicated no_show void",
};
const TYPES = {
  string: "prev owner bot name version instance engine_version game rules_version match_id deal_group pairing_id "
    + "tournament entropy action raw reason state note secret commitment last_hash fault form cause termination kind",
  boolean: "rated provable anonymous forfeited",
  list: "seats draws order events scores totals at_fault places contributions",
  map: "options time_control penalties block branch faults",
  number: "points",
};
const SIZES = { block_dominoes: 28, guan_pai: 48, mexican_train: 91, ding_niu: 24 };
const LIMIT = 1n << 63n;

const split = (text) => text.split(" ");
const sha256 = (bytes) => createHash("sha256").update(bytes).digest();
const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);
const check = (holds, problem) => { if (!holds) throw new Error(problem); };

// Reads a line in its one spelling. Objects become maps, whole numbers BigInts, `points` numbers.
function parse(text) {
  let at = 0;
  const take = (pattern) => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found) at = pattern.lastIndex;
    return found?.[0];
  };
  const string = () => {
    const found = take(/"(?:[^"\\\u0000-\u001f]|\\["\\btnfr]|\\u00[01][0-9a-f])*"/y);
    check(found !== undefined, `no text at character ${at}`);
    check(!/\\u00(0[89acd])/.test(found.replaceAll("\\\\", "")), "a character is escaped in another way");
    return JSON.parse(found);
  };
  const several = (close, one) => {
    if (take(close)) return;
    do one(); while (take(/,/y));
    check(take(close), `something else stands at character ${at}`);
  };
  const value = (name) => {
    if (text[at] === '"') return string();
    if (take(/\{/y)) {
      const found = new Map();
      several(/\}/y, () => {
        const key = string();
        check(take(/:/y) && !found.has(key), `member ${key} is not as it should be`);
        found.set(key, value(key));
      });
      return found;
    }
    if (take(/\[/y)) {
      const found = [];
      several(/\]/y, () => found.push(value(name)));
      return found;
    }
    const word = take(/true|false/y);
    if (word) return word === "true";
    if (name === "points") {
      const digits = take(/(?:0|[1-9]\d*)\.\d+/y);
      check(digits && digits === (Number.isInteger(+digits) ? (+digits).toFixed(1) : `${+digits}`), "odd points");
      return +digits;
    }
    const digits = take(/-?(?:0|[1-9]\d*)(?![\d.eE])/y);
    check(digits && digits !== "-0", `no value at character ${at}`);
    check(BigInt(digits) >= -LIMIT && BigInt(digits) < LIMIT, `${digits} is too large`);
    return BigInt(digits);
  };
  const found = value("");
  check(at === text.length, `bytes follow character ${at}`);
  return found;
}

const typeOf = (value) => (Array.isArray(value) ? "list" : value instanceof Map ? "map" : typeof value);

// The members of a map, in their order; those with `?` may be missing.
function members(map, wanted, where) {
  check(typeOf(map) === "map", `${where} has no members`);
  const here = [...map.keys()];
  const due = split(wanted).filter((name) => !name.endsWith("?") || map.has(name.slice(0, -1)));
  check(same(here, due.map((name) => name.replace("?", ""))), `${where} has other members: ${here.join(" ")}`);
  for (const [name, value] of map) {
    const due = Object.keys(TYPES).find((type) => split(TYPES[type]).includes(name)) ?? "bigint";
    check(due === typeOf(value), `${name} is not of type ${due}`);
    if (name in WORDS) check(split(WORDS[name]).includes(value), `${name} cannot be ${value}`);
    if (name in INNER) for (const one of [value].flat()) members(one, INNER[name], name);
  }
}

function join(...parts) {
  return Buffer.concat(parts.flatMap((part) => {
    const bytes = Buffer.from(part);
    const length = Buffer.alloc(8);
    length.writeBigUInt64BE(BigInt(bytes.length));
    return [length, bytes];
  }));
}

function* words(seed) {
  for (let block = 0n; ; block++) {
    const counter = Buffer.alloc(8);
    counter.writeBigUInt64BE(block);
    const bytes = sha256(Buffer.concat([seed, counter]));
    for (let at = 0; at < 32; at += 4) yield bytes.readUInt32BE(at);
  }
}

function below(source, size) {
  let word;
  do word = source.next().value; while (word >= 2 ** 32 - (2 ** 32 % size));
  return word % size;
}

function dealt(secret, group, number, contributions, sizes, count) {
  const message = join("referee deal v1", group, `${number}`, ...contributions);
  const source = words(createHmac("sha256", secret).update(message).digest());
  const draws = sizes.map((size) => below(source, size));
  const order = Array.from({ length: count }, (_, piece) => piece);
  for (let last = count - 1; last >= 1; last--) {
    const other = below(source, last + 1);
    [order[last], order[other]] = [order[other], order[last]];
  }
  return [draws, order];
}

function hex(text, least, most) {
  check(/^([0-9a-f]{2})*$/.test(text), `${text} is not hexadecimal`);
  check(text.length >= 2 * least && text.length <= 2 * most, `${text.length / 2} bytes of hexadecimal`);
  return Buffer.from(text, "hex");
}

function faulted(seen, seat, name) {
  seen.faults[seat][name] = (seen.faults[seat][name] ?? 0) + 1;
}

function counted(line, seen, header) {
  const [seats, taken] = [header.get("seats").length, header.get("branch")?.get("ply") ?? 0n];
  const seat = Number(line.get("seat") ?? 0n);
  check(seat >= 0 && seat < seats, `there is no seat ${seat}`);
  const next = (name) => { seen[name][seat] += 1; return BigInt(seen[name][seat]); };
  const kind = line.get("kind");
  check(!["rejected", "strike", "default", "forfeit"].includes(kind) || seen.plies >= taken,
    "a fault among the actions of the parent");
  if (kind === "act") check(line.get("ply") > taken || line.get("think") === 0n, "an action of the parent took time");
  if (kind === "turn") check(line.get("turn") === next("turn"), "turn does not count the questions of its seat");
  if (kind === "strike") check(line.get("strikes") === next("strikes"), "strikes does not count those of its seat");
  if (kind === "forfeit") seen.forfeits.push(seat);
  const late = line.get("fault") === "late";
  if ((kind === "rejected" && !late) || (kind === "strike" && late)) faulted(seen, seat, line.get("fault"));
  if (kind === "dropped") faulted(seen, seat, kind);
  if (kind === "act" || kind === "default") {
    check(line.get("ply") === BigInt(++seen.plies), "ply does not count the actions");
    const own = line.get("cause") === "forfeited" ? 0 : seen.turn[seat];
    check(line.get("turn") === BigInt(own), "turn is not that of the open question");
  }
  if (kind === "ready") {
    check(!seen.ready.has(seat) && !seen.deals.length, "a seat is ready twice, or after a deal");
    seen.ready.set(seat, hex(line.get("entropy"), 0, 64));
  }
  if (kind === "deal") {
    check(seen.ready.size === seats, "a deal before the last seat was ready");
    check(seen.deals.push(line) === Number(line.get("deal")), "deal does not count the deals");
  }
  if (kind === "deal_result") {
    check(Number(line.get("deal")) === seen.deals.length, "the result of another deal");
    hex(line.get("state"), 32, 32);
    check(line.get("scores").length === seats && line.get("totals").length === seats, "too many scores, or too few");
    seen.totals = seen.totals.map((total, at) => total + line.get("scores")[at]);
    check(line.get("totals").every((total, at) => total === seen.totals[at]), "totals are not the sum of scores");
  }
}

function ended(header, end, seen) {
  const seats = header.get("seats").length;
  const secret = hex(end.get("secret"), 32, 32);
  const group = header.get("deal_group");
  check(sha256(join("referee commitment v1", group, secret)).toString("hex") === header.get("commitment"),
    "the secret does not open the commitment");
  const fixed = header.get("block")?.get("contributions")?.map((text) => hex(text, 0, 64));
  const due = fixed ?? Array.from({ length: seats }, (_, seat) => seen.ready.get(seat) ?? Buffer.alloc(0));
  check(due.length === seats && same(end.get("contributions"), due.map((one) => one.toString("hex"))),
    "the contributions are not what the seats sent");
  for (const [at, deal] of seen.deals.entries()) {
    const sizes = header.get("game") === "ding_niu" && at === 0 ? [4] : [];
    const drawn = dealt(secret, group, at + 1, due, sizes, SIZES[header.get("game")]);
    check(same([deal.get("draws").map(Number), deal.get("order").map(Number)], drawn), `deal ${at + 1} was not drawn`);
  }
  check(Number(end.get("plies")) === seen.plies, "plies is not the number of actions");
  places(header, end, seen);
}

function places(header, end, seen) {
  const absent = end.get("at_fault").map(Number);
  check(absent.every((seat) => seat < seen.totals.length), "a seat at fault that there is not");
  check(!absent.length || ["no_show", "void"].includes(end.get("termination")), "a seat at fault in a whole match");
  if (end.get("termination") === "no_show") for (const seat of absent) faulted(seen, seat, "no_show");
  const counts = !["no_show", "void"].includes(end.get("termination"));
  const sign = header.get("game") === "mexican_train" ? -1n : 1n;
  const { totals, forfeits } = seen;
  check(end.get("places").length === totals.length, "there is not one place for each seat");
  const staying = totals.map((_, seat) => seat).filter((seat) => !forfeits.includes(seat));
  const rank = (seat) => forfeits.includes(seat)
    ? totals.length - forfeits.indexOf(seat)
    : 1 + staying.filter((other) => sign * totals[other] > sign * totals[seat]).length;
  const ranks = totals.map((_, seat) => (counts ? rank(seat) : 0));
  for (const [seat, place] of end.get("places").entries()) {
    const mean = ranks[seat] + (ranks.filter((other) => other === ranks[seat]).length - 1) / 2;
    const points = forfeits.includes(seat) || !counts ? 0 : (totals.length - mean) / (totals.length - 1);
    const told = ["seat", "rank", "score", "strikes"].map((name) => Number(place.get(name)));
    check(same(told, [seat, ranks[seat], Number(totals[seat]), seen.strikes[seat]]), `seat ${seat} is placed wrongly`);
    check(place.get("points") === points, `seat ${seat} has other points`);
    const faults = [...place.get("faults")].map(([name, count]) => [name, Number(count)]);
    check(same(faults, Object.entries(seen.faults[seat]).sort()), `seat ${seat} has other faults`);
    check(place.get("forfeited") === forfeits.includes(seat), `seat ${seat} has forfeited, or has not`);
  }
}

function signed(file, hash, key) {
  check(existsSync(`${file}.sig`), "not signed");
  const { public_key: name, last_hash: over, signature } = JSON.parse(readFileSync(`${file}.sig`, "utf8"));
  check(Buffer.from(key.export({ format: "jwk" }).x, "base64url").toString("hex") === name, "signed with another key");
  check(over === hash, "signed when its last line had another hash");
  const message = Buffer.from(`referee log v1 ${hash}`);
  check(verifySignature(null, message, key, Buffer.from(signature, "hex")), "the signature is wrong");
}

// A file that is named by an id holds that match, and a UUIDv7 tells when it was created.
function named(file, header) {
  const name = basename(file).split(".")[0].toLowerCase();
  const found = /^([0-9a-f]{8})-([0-9a-f]{4})-([0-9a-f])[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/.exec(name);
  if (!found) return;
  check(header.get("match_id") === name, `line 1: it holds match ${header.get("match_id")}, which is not its name`);
  const millis = BigInt(`0x${found[1]}${found[2]}`);
  check(found[3] !== "7" || header.get("created") / 1000n === millis, "line 1: created is not the time of the match id");
}

function verify(file, key) {
  const bytes = readFileSync(file);
  const lines = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes).split("\n");
  check(lines.pop() === "", "the last line is torn");
  let [prev, time, number, header, seen, line] = ["0".repeat(64), 0n, 0];
  for (const text of lines) {
    try {
      check(line?.get("kind") !== "end", "a line follows the end record");
      line = parse(text);
      check(typeOf(line) === "map" && line.get("prev") === prev, "it does not follow from the line before");
      const kind = line.get("kind");
      check(number ? kind in KINDS : kind === "header", `a line of kind ${kind} cannot stand here`);
      check(number || line.get("schema") === 1n, `schema ${line.get("schema")} is not known here`);
      members(line, number ? `prev kind ${KINDS[kind]} n t` : `prev kind ${HEADER}`, kind);
      if (number) {
        check(line.get("n") === BigInt(number) && line.get("t") >= time, "its number or time is out of order");
        time = line.get("t");
        counted(line, seen, header);
      } else {
        header = line;
        check(!header.has("branch") || !(header.get("rated") || header.get("provable")), "a branch proves nothing");
        const none = () => header.get("seats").map(() => 0);
        seen = { turn: none(), strikes: none(), forfeits: [], plies: 0, ready: new Map(), deals: [] };
        seen.totals = none().map(BigInt);
        seen.faults = none().map(() => ({}));
      }
      if (kind === "end") ended(header, line, seen);
    } catch (error) {
      throw new Error(`line ${number + 1}: ${error.message}`);
    }
    prev = sha256(text).toString("hex");
    number += 1;
  }
  check(line?.get("kind") === "end", "there is no end record");
  named(file, header);
  if (key) signed(file, prev, key);
  return `good: ${number - 1} records, ${line.get("termination")}, hash ${prev}`;
}

const files = process.argv.slice(2);
const key = files[0] === "--key" ? createPublicKey(readFileSync(files.splice(0, 2)[1])) : undefined;
for (const file of files) {
  try {
    console.log(`${file}: ${verify(file, key)}`);
  } catch (error) {
    console.log(`${file}: ${error.message.replaceAll(/\p{C}/gu, "?")}`);
    process.exitCode = 1;
  }
}
