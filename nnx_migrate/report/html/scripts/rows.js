// @ts-check
// Lines of code as tables: two sides, or one under the other.

import { element } from "./dom.js";

// Tables of more rows are cut, so that only those in sight are made.
export const ROWS_A_TABLE = 150;

/**
 * A line is its text, or [text, looks]; see display.py.
 *
 * @param {Line} line
 * @param {string} mark
 */
function codeOf(line, mark) {
  if (typeof line === "string") return [line];
  const [text, looks] = line;
  /** @type {(Node | string)[]} */
  const nodes = [];
  let position = 0;
  /** @type {HTMLElement | null} */
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

/**
 * @param {number} value
 * @param {boolean} site
 */
function number(value, site = false) {
  const kind = site ? "number site" : "number";
  return element("td", { class: kind }, value ? String(value) : "");
}

/**
 * @param {Line | 0} line
 * @param {string} kind
 * @param {string} side
 */
function code(line, kind, side = "") {
  const nodes = line === 0 ? [] : codeOf(line, kind === "gone" ? "del" : "ins");
  const cell = element("td", { class: `code ${kind} ${side}` });
  cell.append(element("span", { class: "text" }, ...nodes));
  return cell;
}

const NOTHING = () => element("td", { class: "code nothing" });

/**
 * Lines with their numbers: both lines are the same where nothing differs. Old lines with a site are
 * marked. A cell of a notebook counts its own lines; sites go by the lines of the file.
 *
 * @param {{rows: Row[], old: number, new: number}} piece
 * @param {Set<number>} sites
 */
export function numbered(piece, sites) {
  let oldLine = piece.old;
  let newLine = piece.new;
  let inFile = piece.old;
  let cell = 0;
  /** @type {NumberedRow[]} */
  const found = [];
  for (const row of piece.rows) {
    if (!Array.isArray(row)) {
      [oldLine, inFile, cell] = [row.old, row.at, row.cell];
      if (newLine) newLine = row.new;
      continue;
    }
    const same = row.length === 1;
    const [left, right] = row.length === 1 ? [row[0], row[0]] : row;
    const site = left !== 0 && sites.has(inFile);
    if (left !== 0) inFile += 1;
    found.push({
      same,
      left,
      right,
      old: left === 0 ? 0 : oldLine++,
      new: right === 0 || !newLine ? 0 : newLine++,
      site,
      cell,
    });
    cell = 0;
  }
  return found;
}

/**
 * @param {number} cell
 * @param {View} view
 */
function cellHead(cell, view) {
  const columns = view === "side" ? 4 : 3;
  return element("tr", { class: "cell" }, element("td", { colspan: columns }, `Cell ${cell}`));
}

/** @param {NumberedRow} row */
function sideBySide(row) {
  /** @param {string} name */
  const kind = (name) => (row.same ? "same" : name);
  return element(
    "tr",
    {},
    number(row.old, row.site),
    row.left === 0 ? NOTHING() : code(row.left, kind("gone"), "left"),
    number(row.new),
    row.right === 0 ? NOTHING() : code(row.right, kind("come"), "right"),
  );
}

/**
 * What is gone of a run of changed rows comes first, then what came.
 *
 * @param {NumberedRow[]} rows
 */
export function inlineOrder(rows) {
  /** @type {InlineRow[]} */
  const ordered = [];
  /** @type {InlineRow[]} */
  let come = [];
  const flush = () => {
    ordered.push(...come);
    come = [];
  };
  for (const row of rows) {
    const { site } = row;
    if (row.same || row.cell) flush();
    let { cell } = row;
    if (row.same) {
      ordered.push({ kind: "same", old: row.old, new: row.new, line: row.left, site, cell });
      continue;
    }
    if (row.left !== 0) {
      ordered.push({ kind: "gone", old: row.old, new: 0, line: row.left, site, cell });
      cell = 0;
    }
    if (row.right !== 0) {
      come.push({ kind: "come", old: 0, new: row.new, line: row.right, site: false, cell });
    }
  }
  flush();
  return ordered;
}

/** @param {InlineRow} row */
function underEachOther(row) {
  return element("tr", {}, number(row.old, row.site), number(row.new), code(row.line, row.kind));
}

const COLUMNS = {
  side: [["Old line", "number"], ["Old code", ""], ["New line", "number"], ["New code", ""]],
  inline: [["Old line", "number"], ["New line", "number"], ["Code", ""]],
};

/**
 * Returns the rows of a table for a view.
 *
 * @param {NumberedRow[]} rows
 * @param {View} view
 */
export function rowsFor(rows, view) {
  return view === "side" ? rows : inlineOrder(rows);
}

/**
 * Returns a table of some rows, which are those of `rowsFor`.
 *
 * @param {(NumberedRow | InlineRow)[]} rows
 * @param {View} view
 * @param {string} label
 */
export function table(rows, view, label) {
  const heads = COLUMNS[view].map(([name, kind]) =>
    element("th", { scope: "col", class: kind }, element("span", { class: "hidden" }, name)),
  );
  const lines = rows.flatMap((row) => {
    const line = "kind" in row ? underEachOther(row) : sideBySide(row);
    return row.cell ? [cellHead(row.cell, view), line] : [line];
  });
  const made = element(
    "table",
    { class: `rows ${view}`, "aria-label": label },
    element("thead", {}, element("tr", {}, ...heads)),
    element("tbody", {}, ...lines),
  );
  // Of two columns of code, only the one where a selection began is selected.
  made.addEventListener("mousedown", (event) => {
    const cell = /** @type {Element} */ (event.target).closest("td.code");
    made.classList.toggle("only-left", cell?.classList.contains("left") ?? false);
    made.classList.toggle("only-right", cell?.classList.contains("right") ?? false);
  });
  return made;
}
