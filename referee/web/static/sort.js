// Sorts tables in place by the headings that are links; without JavaScript the links do it.
// A heading names the order that is wanted first; cells hold what they are sorted by in data-value.
const other = { ascending: "descending", descending: "ascending" };

function sort(table, heading) {
  const order = heading.getAttribute("aria-sort") === heading.dataset.first
    ? other[heading.dataset.first] : heading.dataset.first;
  const column = [...heading.parentElement.children].indexOf(heading);
  const number = heading.classList.contains("number");
  const value = (row) => {
    const text = row.children[column].dataset.value ?? "";
    return text === "" ? null : number ? Number(text) : text;
  };
  const sign = order === "descending" ? -1 : 1;
  const body = table.tBodies[0];
  const rows = [...body.rows].map((row) => [value(row), row]);
  rows.sort(([one], [another]) => {
    if (one === null || another === null) return (one === null) - (another === null);
    return sign * (one < another ? -1 : Number(one > another));
  });
  body.append(...rows.map(([, row]) => row));
  for (const cell of heading.parentElement.children) cell.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", order);
  return order;
}

for (const table of document.querySelectorAll("table[data-sortable]")) {
  table.tHead.addEventListener("click", (event) => {
    const link = event.target.closest("a");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const order = sort(table, link.closest("th"));
    const address = new URL(location.href);
    address.searchParams.set("sort", link.closest("th").dataset.name);
    address.searchParams.set("order", order);
    history.replaceState(null, "", address);
  });
}
