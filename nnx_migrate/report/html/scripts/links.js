// @ts-check
// Where a place can be opened: in an editor on this machine, and in the repository on the web.

import { element } from "./dom.js";
import { remembered, state } from "./state.js";

// Editors that open an address of the form scheme://file/PATH:LINE.
const EDITORS = new Set(["vscode", "cursor", "vscodium", "windsurf", "zed"]);

// A name with an escape in it is not the name of the file.
/** @param {FileEntry} file */
function isPlain(file) {
  return !file.name.includes("\\");
}

/** @param {string} path */
function encoded(path) {
  return path.split("/").map(encodeURIComponent).join("/");
}

/** The folder that names are relative to, on this machine: as the reader says, or from the page on. */
function checkout() {
  const said = remembered("checkout");
  if (said) return said.replaceAll("\\", "/").replace(/\/+$/, "");
  const way = state.index.places.checkout;
  if (way === null || location.protocol !== "file:") return "";
  const folder = new URL(`${way}/`, location.href);
  return decodeURIComponent(folder.pathname).replace(/\/$/, "");
}

/**
 * @param {FileEntry} file
 * @param {number} line
 */
function editorAddress(file, line) {
  const editor = remembered("editor") ?? "vscode";
  const folder = checkout();
  if (!EDITORS.has(editor) || !folder || !isPlain(file)) return "";
  const path = encoded(`${folder}/${file.name}`.replace(/^\/+/, ""));
  return `${editor}://file/${path}:${line || 1}`;
}

/**
 * @param {FileEntry} file
 * @param {number} line
 */
function webAddress(file, line) {
  const { blob, line: mark } = state.index.places;
  if (!blob || !isPlain(file)) return "";
  return `${blob}${encoded(file.name)}${line ? mark + line : ""}`;
}

/**
 * Returns links to a place.
 *
 * @param {FileEntry} file
 * @param {number} line
 */
export function linksTo(file, line) {
  const editor = editorAddress(file, line);
  const web = webAddress(file, line);
  const where = line ? `line ${line} of ${file.name}` : file.name;
  return [
    editor ? element("a", { class: "out", href: editor, "aria-label": `Open ${where} in the editor` }, "Editor") : null,
    web
      ? element(
          "a",
          { class: "out", href: web, rel: "noreferrer", target: "_blank", "aria-label": `Show ${where} in the repository` },
          "Repository",
        )
      : null,
  ];
}
