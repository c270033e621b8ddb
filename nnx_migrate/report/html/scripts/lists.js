// The lists that lead to places: all files, and what is left to a person.

import { byId, element, plural } from "./dom.js";
import { isViewed, state } from "./state.js";
import { address } from "./explained.js";

const FILE_ROW = 28;
const FIRST_TODO = 10;

let currentFile = null;

// Follows the reader in the list of files.
export function showInFileList(file) {
  if (file === currentFile) return;
  currentFile = file;
  const scroller = byId("file-list");
  const top = state.shown.findIndex((item) => item.file === file) * FILE_ROW;
  const { scrollTop, clientHeight } = scroller;
  const inSight = top >= scrollTop && top + FILE_ROW <= scrollTop + clientHeight;
  if (!inSight) scroller.scrollTop = top - scroller.clientHeight / 2;
  drawFileList();
}

function fileRow({ file, pieces }, place) {
  const cut = file.name.lastIndexOf("/") + 1;
  const hunks = plural(pieces.length, "hunk");
  const row = element(
    "li",
    {
      class: isViewed(file) ? "done" : "",
      "aria-setsize": state.shown.length,
      "aria-posinset": place + 1,
      "aria-current": file === currentFile ? "location" : null,
    },
    element(
      "a",
      { href: address(file), title: file.name },
      element("span", { class: "base" }, file.name.slice(cut)),
      // What does not fit is left out at the front, where paths are alike.
      element("span", { class: "folder" }, element("bdi", {}, file.name.slice(0, cut))),
    ),
    isViewed(file) ? element("span", { class: "tick" }, "viewed") : null,
    element("span", { class: "hunks", title: hunks }, String(pieces.length || "")),
  );
  row.style.top = `${place * FILE_ROW}px`;
  return row;
}

// The list of files beside the page: as long as all of them, with only those in sight made.
export function drawFileList() {
  const scroller = byId("file-list");
  const list = scroller.querySelector("ol");
  const height = scroller.clientHeight || 400;
  const first = Math.max(0, Math.floor(scroller.scrollTop / FILE_ROW) - 10);
  const last = Math.min(state.shown.length, first + Math.ceil(height / FILE_ROW) + 20);
  list.style.height = `${state.shown.length * FILE_ROW}px`;
  const rows = state.shown.slice(first, last).map((item, offset) => fileRow(item, first + offset));
  list.replaceChildren(...rows);
}

// What is left to a person, of the files that pass the filters.
export function drawTodo(most = FIRST_TODO) {
  const all = state.shown.flatMap(({ file }) => file.todo.map((what) => ({ file, what })));
  byId("todo").hidden = all.length === 0;
  byId("todo-count").textContent = String(all.length);
  const rows = all.slice(0, most).map(({ file, what: [line, rule, message] }) =>
    element(
      "li",
      {},
      element("a", { href: address(file, line) }, line ? `${file.name}:${line}` : file.name),
      element("span", { class: "rule" }, rule || file.status),
      element("span", { class: "message" }, message),
    ),
  );
  byId("todo-list").replaceChildren(...rows);
  const more = byId("todo-more");
  more.hidden = all.length <= most;
  more.textContent = `Show all ${all.length.toLocaleString("en")}`;
  more.onclick = () => drawTodo(Infinity);
}
