// Live pages: a match as it goes on, and the list of those that are played.
const MOST = 200; // lines of what happened that are kept
const REFRESH = 5000; // milliseconds

const table = document.querySelector("[data-live]");
if (table) {
  const find = (selector) => table.querySelector(selector);
  const stage = find("[data-stage]");
  const log = find("[data-log]");
  const source = new EventSource(`${table.dataset.live}?after=${table.dataset.after}`);
  let spoken = 0;

  const tell = (event) => {
    const news = JSON.parse(event.data);
    if (news.html) {
      const open = stage.querySelector("details")?.open;
      stage.innerHTML = news.html; // made and escaped by the server, as in the page itself
      if (open) stage.querySelector("details").open = true;
    }
    if (news.deals) find("[data-deals]").innerHTML = news.deals;
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

  source.addEventListener("scene", tell);
  source.addEventListener("ended", (event) => {
    source.close();
    tell(event);
    find("[data-over]").hidden = false;
  });
  source.addEventListener("open", () => find("[data-state]").classList.remove("lost"));
  source.addEventListener("error", () => {
    const state = find("[data-state]");
    state.classList.add("lost");
    state.textContent = source.readyState === EventSource.CLOSED ? "not shown" : "connecting";
    if (source.readyState === EventSource.CLOSED) find("[data-over]").hidden = false;
  });
}

const list = document.querySelector("[data-refresh]");
if (list) {
  setInterval(async () => {
    if (document.hidden || list.contains(document.activeElement)) return;
    try {
      const answer = await fetch(list.dataset.refresh);
      if (answer.ok) list.innerHTML = await answer.text();
    } catch {
      // It is asked again.
    }
  }, REFRESH);
}
