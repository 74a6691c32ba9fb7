// The seat with JavaScript: updates as they happen, and clicks on the pieces of the hand.
// Without it the page is the same, with a button for each action.
const seat = document.getElementById("seat");
const said = document.getElementById("said");
const trouble = document.getElementById("trouble");
const LOST = trouble.textContent;
const TITLE = document.title;
const GONE = [403, 404, 410]; // what the server answers where the seat is no more, or not this browser's
const FIRST = 1000; // milliseconds before the first new try; doubled each time
const LAST = 30000; // the longest time before one, and that which an answer may take
const SIGN = 30000; // milliseconds between two signs of life of a page that is hidden
const CLICKED = 100; // milliseconds from letting go to the click that it makes, on a screen that is touched
const RANK = 4; // cards of one rank have codes that are the same when divided by it
let chosen = [];
let aimed = ""; // the version of the seat that the first of several quick clicks was meant for
let due = 0;
let stops = 0;
let cut = false; // whether the server is not heard
let gone = false; // whether the seat is no more

const limit = () => AbortSignal.timeout(LAST);
const inner = () => seat.querySelector("[data-phase]");
const buttons = () => [...seat.querySelectorAll(".act button[name=choice]")];
const hand = () => [...seat.querySelectorAll(".art [data-piece].playable")];
const shown = (piece) => piece.getClientRects().length > 0;

// What a piece of the hand is for the actions: a tile itself, a card its rank.
const kind = (code) => (inner().hasAttribute("data-cards") ? Math.floor(Number(code) / RANK) : Number(code));
const sorted = (codes) => codes.map(kind).sort((a, b) => a - b).join(" ");
const codes = (button) => button.dataset.pieces.split(" ").filter(Boolean);

function fitting(end, train) {
  return buttons().filter(
    (button) =>
      sorted(codes(button)) === sorted(chosen.map((piece) => piece.dataset.piece)) &&
      (!end || button.dataset.end === end || !button.dataset.end) &&
      (!train || button.dataset.train === train),
  );
}

// Says whether more pieces can still make an action of what is chosen.
function grows() {
  const have = chosen.map((piece) => kind(piece.dataset.piece));
  return buttons().some((button) => {
    const rest = codes(button).map(kind);
    return rest.length > have.length && have.every((one) => {
      const at = rest.indexOf(one);
      if (at >= 0) rest.splice(at, 1);
      return at >= 0;
    });
  });
}

function mark() {
  const fits = chosen.length ? fitting() : [];
  for (const button of buttons()) {
    button.classList.toggle("fits", fits.includes(button));
    button.classList.toggle("apart", chosen.length > 0 && !fits.includes(button));
  }
  for (const piece of hand()) {
    const same = chosen.some((one) => one === piece);
    piece.classList.toggle("chosen", same);
    piece.setAttribute("aria-pressed", String(same));
  }
  const hint = seat.querySelector(".hint");
  if (hint) {
    hint.hidden = chosen.length === 0;
    if (fits.length > 1) hint.textContent = "Choose where: an end or a train of the table, or one of the marked buttons.";
    else if (fits.length === 1) hint.textContent = "Press the marked button, or choose more.";
    else hint.textContent = grows() ? "Choose more." : "These make no action; choose others.";
  }
  for (const details of seat.querySelectorAll(".choices details")) {
    if (fits.some((button) => details.contains(button))) details.open = true;
  }
}

function choose(piece) {
  const cards = inner().hasAttribute("data-cards");
  if (chosen.includes(piece)) chosen = chosen.filter((one) => one !== piece);
  else chosen = cards ? [...chosen, piece] : [piece];
  mark();
  const fits = chosen.length ? fitting() : [];
  if (fits.length === 1 && !cards) answer(fits[0]);
}

async function answer(button) {
  const form = button.closest("form");
  const data = new URLSearchParams(new FormData(form));
  data.set("choice", button.value);
  for (const one of buttons()) one.disabled = true;
  chosen = [];
  try {
    const headers = { "X-By-Script": "1" };
    const told = await fetch(form.action, { method: "POST", body: data, headers, signal: limit() });
    if (told.status === 404 || told.status === 410) end(told.status);
    else if (told.status === 429 || told.status >= 500) lose();
    else if (!told.ok) location.reload();
  } catch {
    lose();
  }
}

function pressed(event) {
  const target = event.target.closest?.(".art .playable");
  if (cut || !target || !seat.contains(target) || !seat.querySelector(".act")) return false;
  if (target.dataset.piece !== undefined) choose(target);
  else {
    const fits = fitting(target.dataset.end, target.dataset.train);
    if (fits.length === 1) answer(fits[0]);
    else if (!chosen.length) {
      const only = buttons().filter(
        (button) => (target.dataset.end && button.dataset.end === target.dataset.end) ||
          (target.dataset.train && button.dataset.train === target.dataset.train),
      );
      if (only.length === 1) answer(only[0]);
    }
  }
  return true;
}

seat.addEventListener("click", (event) => {
  if (event.detail < 2) aimed = seat.dataset.version;
  else if (aimed !== seat.dataset.version) {
    event.preventDefault(); // the rest of a double click falls on what nobody has seen yet
    return;
  }
  const button = event.target.closest?.(".act button[name=choice]");
  if (button) {
    event.preventDefault();
    answer(button);
  } else pressed(event);
});
seat.addEventListener("keydown", (event) => {
  if ((event.key === "Enter" || event.key === " ") && pressed(event)) event.preventDefault();
});

// An update waits while something is pressed: what is pressed has to be there when it is let go.
let pressing = false;
let waiting = null;
let lifting = 0;

seat.addEventListener("pointerdown", () => {
  clearTimeout(lifting);
  pressing = true;
});
for (const kind of ["pointerup", "pointercancel", "pointerleave"]) {
  document.documentElement.addEventListener(kind, () => {
    clearTimeout(lifting);
    lifting = setTimeout(letGo, CLICKED);
  });
}

function letGo() {
  const held = waiting;
  pressing = false;
  waiting = null;
  if (held) show(held.update, held.came);
}

function show(update, came = Date.now()) {
  if (pressing) {
    waiting = { update, came };
    return;
  }
  const turn = inner().dataset.turn;
  const kept = chosen.map((piece) => piece.dataset.piece);
  const active = document.activeElement;
  const within = seat.contains(active);
  const open = [".facts", ".deals"].filter((kept) => seat.querySelector(kept)?.open);
  chosen = [];
  seat.innerHTML = update.html;
  for (const kept of open) seat.querySelector(kept)?.setAttribute("open", "");
  seat.dataset.version = update.version;
  said.textContent = update.said;
  begun(came);
  if (inner().dataset.phase === "to_act" && inner().dataset.turn === turn) chooseAgain(kept);
  if (within || active === document.body) {
    (document.getElementById("ask") ?? document.getElementById("again") ?? document.getElementById("end-title"))?.focus({ preventScroll: true });
  }
}

// The same turn was drawn anew: what was chosen of it stays chosen.
function chooseAgain(kept) {
  const left = hand().filter(shown);
  for (const code of kept) {
    const at = left.findIndex((piece) => piece.dataset.piece === code);
    if (at >= 0) chosen.push(...left.splice(at, 1));
  }
  if (chosen.length) mark();
}

function begun(came) {
  seat.classList.add("scripted");
  const clock = seat.querySelector(".clock");
  const stop = seat.querySelector("[data-stops]");
  due = clock ? came + 1000 * Number(clock.dataset.left) : 0;
  stops = stop ? came + 1000 * Number(stop.dataset.stops) : 0;
  document.title = title(inner().dataset.phase);
  live(!cut);
}

const title = (phase) => (phase === "to_act" ? `Your turn - ${TITLE}` : phase === "ended" ? `Over - ${TITLE}` : TITLE);

setInterval(() => {
  if (cut) return;
  const clock = seat.querySelector(".clock");
  const stop = seat.querySelector("[data-stops]");
  if (clock && due) {
    const left = seconds(due);
    clock.textContent = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")} left`;
  }
  if (stop && stops) stop.textContent = seconds(stops) ? `in ${seconds(stops)} s` : "now";
}, 1000);

const seconds = (until) => Math.max(0, Math.round((until - Date.now()) / 1000));

// The stream of updates: there is none while nobody looks, for a browser has few of them.
let events = null;
let tries = 0;
let retry = 0;
let sign = 0;

const over = () => gone || ["ended", "refused", "lost"].includes(inner().dataset.phase);

function live(on) {
  for (const one of buttons()) one.disabled = !on;
  seat.classList.toggle("cut", !on);
}

function listen() {
  hush();
  if (over() || document.hidden) return;
  const source = new EventSource(`${seat.dataset.events}?since=${seat.dataset.version}`);
  events = source;
  source.onopen = found;
  source.onmessage = (event) => {
    found();
    show(JSON.parse(event.data));
  };
  source.addEventListener("over", hush);
  source.addEventListener("elsewhere", elsewhere);
  source.onerror = () => {
    hush();
    look();
  };
}

// The seat is open in more windows than are kept up to date, and this is not the newest of them.
function elsewhere() {
  hush();
  cut = true;
  live(false);
  trouble.textContent = "This seat is open in other windows, too; go on there, or load this page anew.";
  trouble.hidden = false;
}

function hush() {
  clearTimeout(retry);
  events?.close();
  events = null;
}

function found() {
  tries = 0;
  trouble.hidden = true;
  if (cut) {
    cut = false;
    live(true);
  }
}

// Asks what has become of the seat: an event stream that fails does not tell.
async function look() {
  let told = { status: 0 };
  try {
    told = await fetch(location.pathname, { method: "HEAD", cache: "no-store", signal: limit() });
  } catch {
    // Nobody answers: the status stays 0.
  }
  if (events && !GONE.includes(told.status)) return; // a newer stream tells more
  if (GONE.includes(told.status)) end(told.status);
  else if (!document.hidden && (told.status !== 200 || tries)) lose();
  else if (!document.hidden) again();
  else if (told.status === 200) document.title = title(told.headers.get("Seat-Phase"));
}

function again() {
  clearTimeout(retry);
  retry = setTimeout(listen, Math.min(LAST, FIRST * 2 ** tries) * (0.75 + Math.random() / 2));
  tries += 1;
}

// What is over or gone is complete: no late answer to a request adds to it.
function lose() {
  if (over()) return;
  trouble.textContent = LOST;
  cut = true;
  trouble.hidden = false;
  live(false);
  again();
}

function end(status) {
  if (gone) return;
  const match = inner().dataset.match;
  gone = true;
  hush();
  clearInterval(sign);
  trouble.hidden = true;
  document.title = TITLE;
  const text = document.createElement("p");
  text.className = "state bad";
  text.setAttribute("role", "alert");
  text.textContent = status === 403
    ? "This browser does not hold the key of this seat any more. "
    : "This seat is no more: the server was started again, or the match ended long ago. ";
  const links = [["/play", "Begin another match"]];
  if (match) links.push([`/matches/${match}`, "What became of this one"]);
  const row = document.createElement("p");
  row.className = "after";
  for (const [address, words] of links) {
    const link = document.createElement("a");
    link.className = "button";
    link.href = address;
    link.textContent = words;
    row.append(link);
  }
  seat.replaceChildren(text, row);
}

document.addEventListener("visibilitychange", () => {
  clearInterval(sign);
  if (gone) return;
  if (!document.hidden) listen();
  else {
    hush();
    if (!over()) sign = setInterval(look, SIGN);
  }
});

begun(Date.now());
listen();
