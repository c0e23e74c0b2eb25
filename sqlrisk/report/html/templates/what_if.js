// What-if: repU, DiSCO and DCAP for other keys, coarser levels and levels left out, from the counts that the page carries.
// Without scripts the page is complete. This script adds a form and a table to each section of counts, and makes no requests.
document.querySelectorAll(".what-if-counts").forEach(async (packed) => {
  const place = packed.previousElementSibling;
  if (!("DecompressionStream" in window)) return;
  const bytes = Uint8Array.from(atob(packed.textContent.trim()), (letter) => letter.charCodeAt(0));
  const cube = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
  const WIDTHS = [2, 5, 10, 20, 50, 100, 1000, 10000];
  const RARE = [3, 5, 10, 20, 50, 100, 1000];

  function add(parent, name, text = "", more = {}) {
    const made = parent.appendChild(document.createElement(name));
    made.textContent = text;
    return Object.assign(made, more);
  }

  // How many people of the original have each level of a key. Levels of few people are rare.
  function people(key) {
    const cells = cube.classes ?? cube.targets[0].cells;
    const original = cells[cube.keys.length + 1];
    const found = cube.keys[key].levels.map(() => 0);
    cells[key].forEach((level, cell) => { found[level] += original[cell]; });
    return found;
  }

  // For each level of a key, the index of the level that it becomes. It is 0 for all if the key is not known.
  function become({ key, known, step }) {
    const { levels, missing, coarsen } = cube.keys[key];
    if (!known) return levels.map(() => 0);
    if (!step) return levels.map((_, level) => level);
    if (coarsen === "width") {
      const bands = new Map();
      return levels.map((text, level) => {
        const band = level === missing ? "missing" : Math.floor(Number(text) / step);
        if (!bands.has(band)) bands.set(band, bands.size);
        return bands.get(band);
      });
    }
    const counted = people(key);
    const named = levels.findIndex((text, level) => text === "Other" && level !== missing);
    const other = named < 0 ? levels.length : named;
    return levels.map((_, level) => (level !== missing && counted[level] < step ? other : level));
  }

  // The class that each cell falls into, and the records of each file in each class.
  function classed(cells, maps) {
    const keys = maps.length;
    const numbers = new Map();
    const sums = cells.slice(keys + 1).map(() => []);
    const of = cells[0].map((_, cell) => {
      let name = "";
      for (let key = 0; key < keys; key += 1) name += `${maps[key][cells[key][cell]]},`;
      if (!numbers.has(name)) numbers.set(name, numbers.size);
      const number = numbers.get(name);
      sums.forEach((sum, file) => { sum[number] = (sum[number] ?? 0) + cells[keys + 1 + file][cell]; });
      return number;
    });
    return { of, sums };
  }

  // The cells after merging cells of equal class and level: the class, the level, and the records of each file.
  function joined(cells, keys, of) {
    const numbers = new Map();
    const rows = [];
    of.forEach((number, cell) => {
      const level = cells[keys][cell];
      const name = `${number},${level}`;
      if (!numbers.has(name)) {
        numbers.set(name, rows.length);
        rows.push([number, level, ...cells.slice(keys + 1).map(() => 0)]);
      }
      const row = rows[numbers.get(name)];
      for (let file = keys + 1; file < cells.length; file += 1) row[file - keys + 1] += cells[file][cell];
    });
    return rows;
  }

  function counted(chosen) {
    const maps = chosen.keys.map(become);
    const found = [];
    const { sums } = classed(cube.classes ?? cube.targets[0].cells, maps);
    cube.files.forEach((file, place) => {
      const alone = sums[0].filter((n, number) => n === 1 && sums[place + 1][number] === 1).length;
      found.push({ measure: "repU", target: "", file, numerator: alone });
    });
    cube.targets.forEach((target, number) => {
      const { of, sums: whole } = classed(target.cells, maps);
      const rows = joined(target.cells, maps.length, of).filter(([, level]) => !chosen.excluded[number].has(level));
      const sum = (file, right) => rows.reduce((sum, [of_class, , original, ...synthetic]) =>
        sum + (synthetic[file] ? original * right(synthetic[file], whole[file + 1][of_class]) : 0), 0);
      const rights = { DiSCO: (some, all) => Number(some === all), DCAP: (some, all) => some / all };
      for (const [measure, right] of Object.entries(rights)) {
        cube.files.forEach((file, place) => found.push({ measure, target: target.name, file, numerator: sum(place, right) }));
      }
    });
    return found.map((row) => ({ ...row, value: (100 * row.numerator) / cube.people }));
  }

  const form = add(place, "form", "", { className: "what-if" });
  const known = add(form, "fieldset");
  add(known, "legend", "What an intruder knows");
  const choices = cube.keys.map((key, number) => {
    const line = add(known, "p");
    const label = add(line, "label");
    const box = add(label, "input", "", { type: "checkbox", checked: true });
    label.append(` ${key.name} `);
    if (!key.coarsen) return { box, number };
    const list = add(line, "select");
    list.setAttribute("aria-label", `${key.name}: coarser`);
    add(list, "option", "as it is", { value: "" });
    for (const step of key.coarsen === "width" ? WIDTHS : RARE) {
      add(list, "option", key.coarsen === "width" ? `in bands of ${step}` : `levels of fewer than ${step} people as one`, { value: step });
    }
    return { box, list, number };
  });
  const left = cube.targets.map((target) => {
    const part = add(form, "fieldset");
    const label = add(add(part, "legend"), "label", `Leave out levels of ${target.name}`);
    const list = add(part, "select", "", { multiple: true, size: Math.min(5, target.levels.length) });
    list.setAttribute("aria-label", label.textContent);
    target.levels.forEach((level, number) => add(list, "option", level, { value: number, selected: target.excluded.includes(number) }));
    return list;
  });
  const scroll = add(place, "div", "", { className: "scroll", tabIndex: 0 });
  scroll.setAttribute("role", "region");
  scroll.setAttribute("aria-label", "What-if");
  const table = add(scroll, "table");
  const body = table.createTBody();
  const head = table.createTHead().insertRow();
  for (const name of ["measure", "target", "file", "people", "percent", "change"]) add(head, "th", name, { scope: "col" });

  function read() {
    return {
      keys: choices.map(({ box, list, number }) => ({ key: number, known: box.checked, step: Number(list?.value ?? 0) })),
      excluded: left.map((list) => new Set([...list.selectedOptions].map((option) => Number(option.value)))),
    };
  }

  // as in the tables: more decimals where two would read 0 or 100
  function percent(value) {
    const texts = [2, 3, 4].map((places) => value.toFixed(places));
    const exact = (text) => Number(text) === value || ![0, 100].includes(Number(text));
    return texts.find(exact) ?? (value > 50 ? ">99.9999" : "<0.0001");
  }

  const before = counted(read());
  function show() {
    body.replaceChildren();
    counted(read()).forEach((row, number) => {
      const line = body.insertRow();
      const change = row.value - before[number].value;
      const whole = row.measure !== "DCAP";
      const texts = [row.measure, row.target, row.file, whole ? row.numerator.toLocaleString("en") : "–", percent(row.value)];
      texts.push(`${change > 0 ? "+" : ""}${change.toFixed(2)}`);
      texts.forEach((text, cell) => { add(line, "td", text, { className: cell > 2 ? "number" : "" }); });
      Object.assign(line.dataset, { measure: row.measure, target: row.target, numerator: row.numerator });
    });
    for (const cell of [...head.cells].slice(3)) cell.className = "number";
  }
  form.addEventListener("change", show);
  form.addEventListener("submit", (event) => event.preventDefault());
  show();
});
