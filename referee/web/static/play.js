// The seat with JavaScript: updates as they happen, and clicks on the pieces of the hand.
// Without it the page is the same, with a button for each action.
const seat = document.getElementById("seat");
const said = document.getElementById("said");
const trouble = document.getElementById("trouble");
const RANK = 4; // cards of one rank have codes that are the same when divided by it
let chosen = [];
let due = 0;

const inner = () => seat.querySelector("[data-phase]");
const buttons = () => [...seat.querySelectorAll(".act button[name=choice]")];
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
  for (const piece of seat.querySelectorAll(".art [data-piece].playable")) {
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
    const told = await fetch(form.action, { method: "POST", body: data, headers: { "X-By-Script": "1" } });
    if (!told.ok) location.reload();
  } catch {
    trouble.hidden = false;
    for (const one of buttons()) one.disabled = false;
  }
}

function pressed(event) {
  const target = event.target.closest?.(".art .playable");
  if (!target || !seat.contains(target) || !seat.querySelector(".act")) return false;
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
  const button = event.target.closest?.(".act button[name=choice]");
  if (button) {
    event.preventDefault();
    answer(button);
  } else pressed(event);
});
seat.addEventListener("keydown", (event) => {
  if ((event.key === "Enter" || event.key === " ") && pressed(event)) event.preventDefault();
});

function show(update) {
  const active = document.activeElement;
  const within = seat.contains(active);
  chosen = [];
  seat.innerHTML = update.html;
  seat.dataset.version = update.version;
  said.textContent = update.said;
  begun();
  if (within || active === document.body) {
    (document.getElementById("ask") ?? document.getElementById("again") ?? document.getElementById("end-title"))?.focus({ preventScroll: true });
  }
}

function begun() {
  seat.classList.add("scripted");
  const clock = seat.querySelector(".clock");
  due = clock ? Date.now() + 1000 * Number(clock.dataset.left) : 0;
}

setInterval(() => {
  const clock = seat.querySelector(".clock");
  if (!clock || !due) return;
  const left = Math.max(0, Math.round((due - Date.now()) / 1000));
  clock.textContent = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")} left`;
}, 1000);

function listen() {
  const events = new EventSource(`${seat.dataset.events}?since=${seat.dataset.version}`);
  events.onopen = () => { trouble.hidden = true; };
  events.onmessage = (event) => { trouble.hidden = true; show(JSON.parse(event.data)); };
  events.addEventListener("over", () => events.close());
  events.onerror = () => {
    trouble.hidden = false;
    events.close();
    setTimeout(listen, 2000);
  };
}

begun();
if (!["ended", "refused", "lost"].includes(inner().dataset.phase)) listen();
