// Live pages: a match as it goes on, and the list of those that are played.
const MOST = 200; // lines of what happened that are kept
const REFRESH = 5000; // milliseconds
const PART = "Referee-Part"; // the header of a piece of a page
const LAST = 60000; // milliseconds between two tries at most, and those that one has for its answer
const GONE = [401, 403, 404, 410]; // what the server answers where a match is not shown

const table = document.querySelector("[data-live]");
if (table) {
  const find = (selector) => table.querySelector(selector);
  const stage = find("[data-stage]");
  const log = find("[data-log]");
  let source = null;
  let after = table.dataset.after;
  let over = false;
  let spoken = 0;
  let wait = REFRESH; // before a stream that was refused is asked for again; doubled each time
  let again = 0; // the timer of that

  // A stream that goes on knows of the deals that end from there on; those before are on the page.
  const rows = (part) => [...(part?.querySelectorAll("[data-deal]") ?? [])];
  const score = (html) => {
    const deals = find("[data-deals]");
    const before = deals.querySelector("[data-ended]");
    deals.innerHTML = html;
    const now = deals.querySelector("[data-ended]");
    const known = new Set(rows(now).map((row) => row.dataset.deal));
    if (now) now.querySelector("tbody").prepend(...rows(before).filter((row) => !known.has(row.dataset.deal)));
    else if (before) deals.prepend(before);
  };

  const tell = (event) => {
    const news = JSON.parse(event.data);
    after = event.lastEventId || after;
    if (news.html) {
      const open = stage.querySelector("details")?.open;
      stage.innerHTML = news.html; // made and escaped by the server, as in the page itself
      if (open) stage.querySelector("details").open = true;
    }
    if (news.deals) score(news.deals);
    find("[data-state]").textContent = news.state;
    for (const line of news.told) {
      const item = document.createElement("li");
      item.textContent = line;
      log.prepend(item);
    }
    while (log.children.length > MOST) log.lastChild.remove();
    const now = Date.now();
    if (news.told.length && (now - spoken > REFRESH || news.state === "ended")) {
      find("[data-say]").textContent = news.told.at(-1); // a reader of screens is not flooded
      spoken = now;
    }
  };

  const address = () => `${table.dataset.live}?after=${after}`;

  // A browser comes back by itself where a stream breaks off, not where it is refused: for good by the
  // match, or for a while by what stands between.
  const refused = async () => {
    find("[data-over]").hidden = false;
    const mine = source;
    const answer = await fetch(address(), { signal: AbortSignal.timeout(LAST) }).catch(() => null);
    answer?.body?.cancel();
    if (mine !== source) return; // a newer stream tells more
    if (answer && GONE.includes(answer.status)) {
      over = true;
      find("[data-state]").textContent = "not shown";
      return;
    }
    clearTimeout(again);
    again = setTimeout(listen, wait);
    wait = Math.min(2 * wait, LAST);
  };

  const listen = () => {
    clearTimeout(again);
    source?.close();
    source = null;
    if (over || document.hidden) return; // a browser has few connections, and nobody looks
    const opened = new EventSource(address());
    source = opened;
    opened.addEventListener("scene", tell);
    opened.addEventListener("ended", (event) => {
      over = true;
      opened.close();
      tell(event);
      find("[data-over]").hidden = false;
    });
    opened.addEventListener("open", () => {
      wait = REFRESH;
      find("[data-state]").classList.remove("lost");
      find("[data-over]").hidden = true;
    });
    opened.addEventListener("error", () => {
      const state = find("[data-state]");
      state.classList.add("lost");
      state.textContent = "connecting";
      if (opened.readyState === EventSource.CLOSED && opened === source) refused();
    });
  };

  document.addEventListener("visibilitychange", listen);
  listen();
}

const list = document.querySelector("[data-refresh]");
if (list) {
  let shown = "";
  const isRead = () => {
    const selection = getSelection();
    return (
      document.hidden ||
      list.contains(document.activeElement) ||
      (!selection.isCollapsed && selection.containsNode(list, true))
    );
  };
  const replace = (html) => {
    const scrolled = [...list.querySelectorAll(".scroll")].map((part) => part.scrollLeft);
    list.innerHTML = html;
    list.querySelectorAll(".scroll").forEach((part, at) => {
      part.scrollLeft = scrolled[at] ?? 0;
    });
    shown = html;
  };
  let asking = false; // answers that cross would bring back what is over
  setInterval(async () => {
    if (asking || isRead()) return;
    asking = true;
    try {
      const answer = await fetch(list.dataset.refresh, { signal: AbortSignal.timeout(LAST) });
      const html = await answer.text();
      // What stands between may answer with a page of its own.
      if (answer.ok && answer.headers.has(PART) && html !== shown && !isRead()) replace(html);
    } catch {
      // It is asked again.
    } finally {
      asking = false;
    }
  }, REFRESH);
}
