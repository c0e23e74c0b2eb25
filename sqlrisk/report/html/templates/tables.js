// Sort tables by a column, filter long tables, and fold the contents on a phone. Without scripts the page is complete.
"use strict";

const LONG = 8; // a table with more rows can be filtered
const THOUSANDS = /^-?\d{1,3}(,\d{3})+(\.\d+)?$/; // a number as pages write it: 1,234.5

function amount(cell) {
  const data = cell.querySelector("data");
  const text = cell.textContent.trim().replace(THOUSANDS, number => number.replaceAll(",", ""));
  const value = data ? JSON.parse(data.value) : text;
  return typeof value === "string" && value !== "" && !Number.isNaN(Number(value)) ? Number(value) : value;
}

function compare(a, b) {
  if (a === null || b === null) return (a === null) - (b === null); // undefined values come last in ascending order
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b));
}

function sort(table, place, button) {
  const body = table.tBodies[0];
  const down = button.parentElement.getAttribute("aria-sort") === "ascending";
  for (const head of table.querySelectorAll("th[aria-sort]")) head.removeAttribute("aria-sort");
  button.parentElement.setAttribute("aria-sort", down ? "descending" : "ascending");
  const rows = [...body.rows].sort((a, b) => compare(amount(a.cells[place]), amount(b.cells[place])));
  body.append(...(down ? rows.reverse() : rows));
}

for (const table of document.querySelectorAll("table.sortable")) {
  const heads = table.tHead.rows[table.tHead.rows.length - 1].cells;
  [...heads].forEach((head, place) => {
    if (!head.textContent) return;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    button.addEventListener("click", () => sort(table, place, button));
    head.append(button);
  });
  if (table.tBodies[0].rows.length <= LONG) continue;
  const label = document.createElement("label");
  label.className = "filter";
  label.textContent = "Show rows with ";
  const field = document.createElement("input");
  field.type = "search";
  field.addEventListener("input", () => {
    const words = field.value.toLowerCase();
    for (const row of table.tBodies[0].rows) row.hidden = !row.textContent.toLowerCase().includes(words);
  });
  label.append(field);
  table.parentElement.before(label);
}

// On a phone the contents would fill the first screens, so fold them.
const contents = document.querySelector("nav details");
if (contents && matchMedia("(max-width: 40rem)").matches) contents.open = false;
