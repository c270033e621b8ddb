// @ts-check
// Hunks with the same change for the same reason: one of them is shown, and reviewed for all.

import { state } from "./state.js";

/**
 * Tells which of the shown pieces are alike.
 *
 * @param {Item[]} items
 */
export function groupsOf(items) {
  /** @type {Map<string, Group>} */
  const groups = new Map();
  for (const { file, pieces } of items) {
    for (const piece of pieces) {
      const { alike } = file.pieces[piece];
      const group = groups.get(alike);
      if (!group) groups.set(alike, { count: 1, files: new Set([file]), first: file, piece });
      else {
        group.count += 1;
        group.files.add(file);
      }
    }
  }
  return groups;
}

/**
 * @param {FileEntry} file
 * @param {number} piece
 */
export function groupOf(file, piece) {
  return state.groups.get(file.pieces[piece].alike) ?? null;
}

/**
 * @param {FileEntry} file
 * @param {number} piece
 */
function nameOfPiece(file, piece) {
  return `${file.number}-${piece}`;
}

/**
 * Whether a piece is a line alone, because one like it is shown.
 *
 * @param {FileEntry} file
 * @param {number} piece
 */
export function isFolded(file, piece) {
  const group = groupOf(file, piece);
  if (!group || group.count === 1) return false;
  if (group.first === file && group.piece === piece) return false;
  return !state.opened.has(file.pieces[piece].alike) && !state.opened.has(nameOfPiece(file, piece));
}

/**
 * Shows a piece in full.
 *
 * @param {FileEntry} file
 * @param {number} piece
 */
export function open(file, piece) {
  state.opened.add(nameOfPiece(file, piece));
}

/**
 * Shows all that are like a piece in full, or one of them again.
 *
 * @param {string} alike
 * @param {boolean} all
 */
export function openAlike(alike, all) {
  if (all) state.opened.add(alike);
  else state.opened.delete(alike);
}
