// Lines of code as tables: two sides, or one under the other.

import { element } from "./dom.js";

// Tables of more rows are cut, so that only those in sight are made.
export const ROWS_A_TABLE = 150;

// A line is its text, or [text, looks]; see display.py.
function codeOf(line, mark) {
  if (typeof line === "string") return [line];
  const [text, looks] = line;
  const nodes = [];
  let position = 0;
  let marked = null;
  for (const [, letter, length] of looks.matchAll(/([A-Za-z_])(\d+)/g)) {
    const part = text.slice(position, position + Number(length));
    position += Number(length);
    const look = letter === "M" ? "_" : letter.toLowerCase();
    const node = look === "_" ? part : element("span", { class: `t-${look}` }, part);
    if (letter === look) {
      marked = null;
      nodes.push(node);
    } else {
      if (marked === null) {
        marked = element(mark);
        nodes.push(marked);
      }
      marked.append(node);
    }
  }
  return nodes;
}

function number(value, site = false) {
  const kind = site ? "number site" : "number";
  return element("td", { class: kind }, value ? String(value) : "");
}

function code(line, kind, side = "") {
  const nodes = line === 0 ? [] : codeOf(line, kind === "gone" ? "del" : "ins");
  const cell = element("td", { class: `code ${kind} ${side}` });
  cell.append(element("span", { class: "text" }, ...nodes));
  return cell;
}

const NOTHING = () => element("td", { class: "code nothing" });

// Rows with their numbers: {old, new, left, right}, both lines the same where nothing differs.
// Old lines with a site are marked.
export function numbered(piece, sites) {
  let oldLine = piece.old;
  let newLine = piece.new;
  return piece.rows.map((row) => {
    const [left, right] = row.length === 1 ? [row[0], row[0]] : row;
    const same = row.length === 1;
    const numbers = {
      old: left === 0 ? 0 : oldLine++,
      new: right === 0 || !newLine ? 0 : newLine++,
    };
    return { same, left, right, ...numbers, site: sites.has(numbers.old) };
  });
}

function sideBySide(rows) {
  return rows.map((row) => {
    const kind = (name) => (row.same ? "same" : name);
    return element(
      "tr",
      {},
      number(row.old, row.site),
      row.left === 0 ? NOTHING() : code(row.left, kind("gone"), "left"),
      number(row.new),
      row.right === 0 ? NOTHING() : code(row.right, kind("come"), "right"),
    );
  });
}

// What is gone of a run of changed rows comes first, then what came.
export function inlineOrder(rows) {
  const ordered = [];
  let come = [];
  const flush = () => {
    ordered.push(...come);
    come = [];
  };
  for (const row of rows) {
    if (row.same) {
      flush();
      ordered.push({ kind: "same", old: row.old, new: row.new, line: row.left, site: row.site });
      continue;
    }
    if (row.left !== 0) {
      ordered.push({ kind: "gone", old: row.old, new: 0, line: row.left, site: row.site });
    }
    if (row.right !== 0) come.push({ kind: "come", old: 0, new: row.new, line: row.right });
  }
  flush();
  return ordered;
}

function underEachOther(rows) {
  return rows.map((row) =>
    element("tr", {}, number(row.old, row.site), number(row.new), code(row.line, row.kind)),
  );
}

const COLUMNS = {
  side: [["Old line", "number"], ["Old code", ""], ["New line", "number"], ["New code", ""]],
  inline: [["Old line", "number"], ["New line", "number"], ["Code", ""]],
};

// Returns a table of some rows (of `numbered`, or for "inline" of `inlineOrder`).
export function table(rows, view, label) {
  const heads = COLUMNS[view].map(([name, kind]) =>
    element("th", { scope: "col", class: kind }, element("span", { class: "hidden" }, name)),
  );
  const body = element("tbody", {}, ...(view === "side" ? sideBySide : underEachOther)(rows));
  const made = element(
    "table",
    { class: `rows ${view}`, "aria-label": label },
    element("thead", {}, element("tr", {}, ...heads)),
    body,
  );
  // Of two columns of code, only the one where a selection began is selected.
  made.addEventListener("mousedown", (event) => {
    const cell = event.target.closest("td.code");
    made.classList.toggle("only-left", cell?.classList.contains("left") ?? false);
    made.classList.toggle("only-right", cell?.classList.contains("right") ?? false);
  });
  return made;
}
