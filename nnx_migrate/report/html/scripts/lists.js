// @ts-check
// The lists that lead to places: all files as a tree, and what is left to a person.

import { buttonOf, byId, element, plural } from "./dom.js";
import { isReviewed, isViewed, state } from "./state.js";
import { address } from "./explained.js";

const FILE_ROW = 28;
const FIRST_TODO = 10;
const INDENT = 14;

/**
 * A row of the tree: a folder, or a file.
 *
 * @typedef {object} TreeRow
 * @property {string} folder its path, or of the folder that a file is in
 * @property {string} name
 * @property {number} depth
 * @property {Item[]} items all of a folder, or the one file
 * @property {boolean} isFolder
 */

/** @type {FileEntry | null} */
let currentFile = null;
/** @type {Set<string>} */
const closed = new Set();
/** @type {TreeRow[]} */
let rows = [];

/**
 * @typedef {object} Folder
 * @property {string} path
 * @property {Map<string, Folder>} folders
 * @property {Item[]} items its own
 * @property {Item[]} all with those of its folders
 */

/**
 * @param {string} path
 * @returns {Folder}
 */
function emptyFolder(path) {
  return { path, folders: new Map(), items: [], all: [] };
}

/** @param {Item[]} items */
function treeOf(items) {
  const root = emptyFolder("");
  for (const item of items) {
    let at = root;
    for (const name of item.file.name.split("/").slice(0, -1)) {
      const next = at.folders.get(name) ?? emptyFolder(at.path ? `${at.path}/${name}` : name);
      at.folders.set(name, next);
      next.all.push(item);
      at = next;
    }
    at.items.push(item);
  }
  return root;
}

/**
 * @param {Folder} folder
 * @param {number} depth
 * @returns {TreeRow[]}
 */
function rowsOf(folder, depth) {
  const folders = [...folder.folders.values()].flatMap((each) => {
    // A folder with nothing in it but a folder is one row with that.
    let last = each;
    while (!last.items.length && last.folders.size === 1) last = [...last.folders.values()][0];
    const cut = folder.path ? folder.path.length + 1 : 0;
    /** @type {TreeRow} */
    const head = {
      folder: last.path,
      name: last.path.slice(cut),
      depth,
      items: last.all,
      isFolder: true,
    };
    return closed.has(last.path) ? [head] : [head, ...rowsOf(last, depth + 1)];
  });
  const files = folder.items.map((item) => ({
    folder: folder.path,
    name: item.file.name.slice(item.file.name.lastIndexOf("/") + 1),
    depth,
    items: [item],
    isFolder: false,
  }));
  return [...folders, ...files];
}

/**
 * Follows the reader in the list of files.
 *
 * @param {FileEntry} file
 */
export function showInFileList(file) {
  if (file === currentFile) return;
  currentFile = file;
  const folders = file.name.split("/").slice(0, -1);
  folders.forEach((_, number) => closed.delete(folders.slice(0, number + 1).join("/")));
  drawFileList();
  const scroller = byId("file-list");
  const top = rows.findIndex((row) => !row.isFolder && row.items[0].file === file) * FILE_ROW;
  const { scrollTop, clientHeight } = scroller;
  const inSight = top >= scrollTop && top + FILE_ROW <= scrollTop + clientHeight;
  if (!inSight) scroller.scrollTop = top - scroller.clientHeight / 2;
  drawRowsInSight();
}

/**
 * How many sites of each outcome some files have, those that stay the same left out.
 *
 * @param {Item[]} items
 */
function outcomesOf(items) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const { file } of items) {
    const keys = [...file.pieces.flatMap((piece) => piece.findings), ...file.alone];
    for (const [, outcome] of keys) {
      if (outcome !== "same") counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
    }
  }
  return counts;
}

/** @param {Item[]} items */
function countsOf(items) {
  let [hunks, reviewed] = [0, 0];
  for (const { file, pieces } of items) {
    hunks += pieces.length;
    reviewed += pieces.filter((piece) => isReviewed(file, piece)).length;
  }
  return { hunks, reviewed, done: items.every(({ file }) => isViewed(file)) };
}

/**
 * @param {TreeRow} row
 * @param {number} place
 */
function drawnRow(row, place) {
  const { hunks, reviewed, done } = countsOf(row.items);
  const file = row.isFolder ? null : row.items[0].file;
  const outcomes = outcomesOf(row.items);
  const words = [...outcomes].map(([outcome, count]) => `${count} ${outcome}`);
  const marks = [...outcomes.keys()].map((outcome) => element("span", { class: `dot ${outcome}` }));
  const about = [plural(hunks, "hunk"), `${reviewed} reviewed`, ...words].join(", ");
  const label = element("span", { class: "base" }, row.name);
  const count = done ? "✓" : reviewed ? `${reviewed}/${hunks}` : String(hunks || "");
  const title = `${file ? file.name : row.folder}: ${about}`;
  const toggle = () => {
    if (!closed.delete(row.folder)) closed.add(row.folder);
    drawFileList();
    byId("file-list").querySelector(`[data-row="${place}"]`)?.querySelector("button")?.focus();
  };
  const main = file
    ? element("a", { href: address(file), title, "aria-label": title }, label)
    : element(
        "button",
        {
          type: "button",
          title,
          "aria-label": title,
          "aria-expanded": String(!closed.has(row.folder)),
          onclick: toggle,
        },
        label,
      );
  const made = element(
    "li",
    {
      class: `${done ? "done" : ""} ${file ? "" : "folder-row"}`,
      "data-row": place,
      "aria-setsize": rows.length,
      "aria-posinset": place + 1,
      "aria-current": file && file === currentFile ? "location" : null,
    },
    main,
    element("span", { class: "dots", "aria-hidden": "true" }, ...marks),
    element("span", { class: "hunks", "aria-hidden": "true" }, count),
  );
  made.style.top = `${place * FILE_ROW}px`;
  made.style.paddingLeft = `${12 + row.depth * INDENT}px`;
  return made;
}

// The tree of files beside the page, made anew.
export function drawFileList() {
  rows = rowsOf(treeOf(state.shown), 0);
  drawRowsInSight();
}

// The tree is as long as all of it, with only those rows made that are in sight.
export function drawRowsInSight() {
  const scroller = byId("file-list");
  const list = /** @type {HTMLElement} */ (scroller.querySelector("ol"));
  const height = scroller.clientHeight || 400;
  const first = Math.max(0, Math.floor(scroller.scrollTop / FILE_ROW) - 10);
  const last = Math.min(rows.length, first + Math.ceil(height / FILE_ROW) + 20);
  const whole = rows.length * FILE_ROW;
  list.style.height = `${whole}px`;
  // What a short list leaves, the filters get.
  scroller.parentElement?.style.setProperty("--list-height", `${whole + 12}px`);
  list.replaceChildren(...rows.slice(first, last).map((row, offset) => drawnRow(row, first + offset)));
}

/**
 * What is left to a person, of the files that pass the filters.
 *
 * @param {number} most
 */
export function drawTodo(most = FIRST_TODO) {
  const all = state.shown.flatMap(({ file }) => file.todo.map((what) => ({ file, what })));
  byId("todo").hidden = all.length === 0;
  byId("todo-count").textContent = String(all.length);
  const made = all.slice(0, most).map(({ file, what: [line, rule, message, place] }) =>
    element(
      "li",
      {},
      element("a", { href: address(file, line) }, place ? `${file.name}:${place}` : file.name),
      element("span", { class: "rule" }, rule || file.status),
      element("span", { class: "message" }, message),
    ),
  );
  byId("todo-list").replaceChildren(...made);
  const more = buttonOf("todo-more");
  more.hidden = all.length <= most;
  more.textContent = `Show all ${all.length.toLocaleString("en")}`;
  more.onclick = () => drawTodo(Infinity);
}
