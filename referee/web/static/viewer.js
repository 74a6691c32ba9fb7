// The replay viewer: steps without a page load. Without JavaScript every step is a link.
const root = document.querySelector("[data-viewer]");
const swap = root.querySelector("[data-swap]");
const chunks = new Map(); // what was fetched, by address
const KEPT = 60; // chunks that are kept in memory
const NOTED = 350; // milliseconds between two changes of the address at least
const LOST = "This position could not be loaded, and the table is that of another one; try again.";
const NARROW = 640; // pixels up to which a table is drawn for a narrow window

let state; // of the view that is shown
let index = 0; // the position that is wanted
let playing = null; // what goes on by itself since play was pressed, with its timer, or null
let asked = ""; // the address of the view that was asked for last
let noting = 0; // the timer of the address, or 0
let noted = 0; // when the address was changed last

const find = (selector) => swap.querySelector(selector);
const numbers = (text) => (text ? text.split(" ").map(Number) : []);
const size = () => (find("[data-stage]").clientWidth > NARROW ? "wide" : "narrow");

function read() {
  const told = find(".viewer-state").dataset;
  state = {
    base: told.base,
    view: told.view,
    total: Number(told.total),
    chunk: Number(told.chunk),
    each: Number(told.each),
    width: Number(told.width),
    stamp: told.stamp.split("?")[1],
    faults: numbers(told.faults),
    deals: numbers(told.deals),
  };
  index = Number(told.index);
  for (const element of swap.querySelectorAll("[data-js], [data-play]")) element.hidden = false;
  follow();
}

// Positions

async function fetched(number) {
  const wanted = { view: state.view, size: size(), from: number * state.chunk, v: state.stamp };
  const address = `${state.base}/frames?${new URLSearchParams(wanted)}`;
  if (!chunks.has(address)) {
    const answer = fetch(address).then((response) => {
      if (!response.ok) throw new Error(response.statusText);
      return response.json();
    });
    chunks.set(address, answer);
    answer.catch(() => chunks.delete(address));
    if (chunks.size > KEPT) chunks.delete(chunks.keys().next().value);
  }
  return (await chunks.get(address)).frames;
}

async function show(wanted) {
  index = Math.max(0, Math.min(state.total - 1, wanted));
  const mine = { index, view: state.view, size: size() };
  const late = () => mine.index !== index || mine.view !== state.view || mine.size !== size();
  const number = Math.floor(index / state.chunk);
  steer();
  try {
    const frames = await fetched(number);
    if (late()) return;
    paint(frames[index % state.chunk]);
    const ahead = Math.floor((index + state.chunk / 2) / state.chunk);
    if (ahead !== number && ahead * state.chunk < state.total) fetched(ahead).catch(() => {});
  } catch {
    if (late()) return;
    pause();
    const told = find("[data-stage] .told");
    told.textContent = LOST;
    told.classList.add("wrong");
    find("[data-say]").textContent = LOST;
  }
}

function paint(frame) {
  const stage = find("[data-stage]");
  const open = stage.querySelector("details")?.open;
  stage.innerHTML = frame.html; // made and escaped by the server, as in the page itself
  if (open) stage.querySelector("details").open = true;
  note(`${state.base}?${new URLSearchParams({ view: state.view, at: frame.n })}${location.hash}`);
  for (const link of swap.querySelectorAll("[data-view-as]")) {
    link.href = `${state.base}?${new URLSearchParams({ view: link.dataset.viewAs, at: frame.n })}#viewer`;
  }
  if (!playing) find("[data-say]").textContent = frame.told;
}

function note(address) {
  // Browsers refuse an address that changes too often: the last one counts.
  clearTimeout(noting);
  const wait = Math.max(0, noted + NOTED - Date.now());
  const write = () => {
    noted = Date.now();
    history.replaceState(null, "", address);
  };
  if (wait) noting = setTimeout(write, wait);
  else write();
}

// What shows where we are

function ways() {
  const before = (list) => list.filter((place) => place < index).at(-1);
  const after = (list) => list.find((place) => place > index);
  const last = state.total - 1;
  return {
    first: index > 0 ? 0 : undefined,
    "deal-back": before(state.deals),
    "fault-back": before(state.faults),
    back: index > 0 ? index - 1 : undefined,
    on: index < last ? index + 1 : undefined,
    "fault-on": after(state.faults),
    "deal-on": after(state.deals),
    last: index < last ? last : undefined,
  };
}

function steer() {
  find("[data-position]").textContent = index + 1;
  const scrub = find("[data-scrub]");
  scrub.value = index;
  scrub.setAttribute("aria-valuetext", `${index + 1} of ${state.total}`);
  for (const [way, place] of Object.entries(ways())) {
    const link = find(`[data-go="${way}"]`);
    if (place === undefined) {
      link.setAttribute("aria-disabled", "true");
    } else {
      link.removeAttribute("aria-disabled");
      link.href = "#viewer"; // focus and pointer go to links that lead somewhere; the click is taken below
    }
  }
  follow();
}

function follow() {
  const line = find("[data-timeline]");
  const x = Math.floor(index / state.each) * state.width;
  line.querySelector(".now").setAttribute("x", x);
  if (x < line.scrollLeft || x > line.scrollLeft + line.clientWidth - 2 * state.width) {
    line.scrollLeft = x - line.clientWidth / 3;
  }
}

// Going on by itself

function pause() {
  clearTimeout(playing?.timer);
  playing = null;
  label();
}

function label() {
  const button = find("[data-play]");
  button.classList.toggle("playing", playing !== null);
  button.setAttribute("aria-label", playing ? "Pause" : "Play");
}

function play() {
  if (index >= state.total - 1) show(0);
  const mine = { timer: 0 };
  const wait = () => {
    mine.timer = setTimeout(step, Number(find("[data-speed]").value));
  };
  const step = async () => {
    await show(index + 1);
    if (playing !== mine) return; // it may have been pressed twice while the position came
    if (index >= state.total - 1) pause();
    else wait();
  };
  playing = mine;
  label();
  wait();
}

const toggle = () => (playing ? pause() : play());

function go(place) {
  pause();
  if (place !== undefined) show(place);
}

// Another viewer

async function view(address) {
  pause();
  asked = address;
  let html;
  try {
    const response = await fetch(address.replace(/\?/, "/viewer?").replace(/#.*/, ""));
    if (!response.ok) throw new Error(response.statusText);
    html = await response.text();
  } catch {
    if (asked === address) location.assign(address);
    return;
  }
  if (asked !== address) return;
  const wanted = index;
  const speed = find("[data-speed]").value;
  swap.innerHTML = html;
  read();
  note(address);
  find("[data-speed]").value = speed;
  label();
  find(`[data-view-as="${state.view}"]`).focus();
  if (wanted !== index) show(wanted); // it had not come when the address was made
}

// What people do

root.addEventListener("click", (event) => {
  const at = event.target.closest("[data-go], [data-index]:not(.viewer-state), [data-view-as], [data-play]");
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (at) {
    event.preventDefault();
    if (at.dataset.go) go(ways()[at.dataset.go]);
    else if (at.dataset.index) go(Number(at.dataset.index));
    else if (at.dataset.viewAs) view(at.href);
    else toggle();
    return;
  }
  const art = event.target.closest(".timeline-art");
  if (art) {
    const column = Math.floor((event.clientX - art.getBoundingClientRect().left) / state.width);
    go(column * state.each);
  }
});

root.addEventListener("input", (event) => {
  if (event.target.matches("[data-scrub]")) go(Number(event.target.value));
});

document.addEventListener("keydown", (event) => {
  const inside = event.target.closest("input:not([type=range]), select, textarea, .scroll, [data-timeline]");
  if (inside || event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.key === " ") {
    if (event.target.closest("a, button, summary")) return;
    event.preventDefault();
    toggle();
    return;
  }
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const way = {
    ArrowLeft: "back",
    ArrowRight: "on",
    Home: "first",
    End: "last",
    f: event.shiftKey ? "fault-back" : "fault-on",
    d: event.shiftKey ? "deal-back" : "deal-on",
  }[key];
  if (!way) return;
  event.preventDefault();
  go(ways()[way]);
});

let drawn = size();
addEventListener("resize", () => {
  if (drawn === size()) return;
  drawn = size();
  show(index);
});

read();
fetched(Math.floor(index / state.chunk)).catch(() => {});
