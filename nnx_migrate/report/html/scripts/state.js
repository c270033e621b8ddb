// @ts-check
// What the reader has chosen, and what of it the browser remembers.

const PREFIX = "nnx-migrate.";
const MARK = /^(viewed|reviewed)\.[0-9a-f]{18}$/;

// Storage may be forbidden; then things are remembered as long as the page is open.
/** @type {Map<string, string | null>} */
const memory = new Map();

/** @param {string} key */
export function remembered(key) {
  try {
    return localStorage.getItem(PREFIX + key) ?? memory.get(key) ?? null;
  } catch {
    return memory.get(key) ?? null;
  }
}

/**
 * @param {string} key
 * @param {string | null} value
 */
export function remember(key, value) {
  memory.set(key, value);
  try {
    if (value === null) localStorage.removeItem(PREFIX + key);
    else localStorage.setItem(PREFIX + key, value);
  } catch {
    // Kept in memory already.
  }
}

// What is reviewed, read once: thousands of pieces ask for it with each change of the filters.
/** @type {Set<string>} */
const marks = new Set();

export function readMarks() {
  try {
    for (let number = 0; number < localStorage.length; number += 1) {
      const key = localStorage.key(number) ?? "";
      if (key.startsWith(PREFIX) && isMark(key.slice(PREFIX.length))) {
        marks.add(key.slice(PREFIX.length));
      }
    }
  } catch {
    // Nothing is remembered.
  }
}

/** @param {unknown} text */
export function isMark(text) {
  return typeof text === "string" && MARK.test(text);
}

/**
 * @param {string} key
 * @param {boolean} on
 */
export function setMark(key, on) {
  if (on) marks.add(key);
  else marks.delete(key);
  remember(key, on ? "1" : null);
}

/** @param {FileEntry} file */
function ownMark(file) {
  return `viewed.${file.digest}`;
}

/** @param {PieceEntry} piece */
function pieceMark(piece) {
  return `reviewed.${piece.alike}`;
}

/**
 * A file is viewed as long as its change stays what it is: the mark goes by its digest. So it is
 * when each of its hunks is reviewed.
 *
 * @param {FileEntry} file
 */
export function isViewed(file) {
  if (marks.has(ownMark(file))) return true;
  return file.pieces.length > 0 && file.pieces.every((piece) => marks.has(pieceMark(piece)));
}

/**
 * @param {FileEntry} file
 * @param {boolean} viewed
 */
export function setViewed(file, viewed) {
  setMark(ownMark(file), viewed);
  if (!viewed) for (const piece of file.pieces) setMark(pieceMark(piece), false);
}

/**
 * A hunk is reviewed with all that are like it, in this run and in later ones.
 *
 * @param {FileEntry} file
 * @param {number} number
 */
export function isReviewed(file, number) {
  return marks.has(pieceMark(file.pieces[number])) || marks.has(ownMark(file));
}

/**
 * @param {FileEntry} file
 * @param {number} number
 * @param {boolean} reviewed
 */
export function setReviewed(file, number, reviewed) {
  setMark(pieceMark(file.pieces[number]), reviewed);
  if (!reviewed) setMark(ownMark(file), false);
}

/**
 * The marks that some files have, for whoever goes on with the review.
 *
 * @param {FileEntry[]} files
 */
export function marksOf(files) {
  const its = files.flatMap((file) => [ownMark(file), ...file.pieces.map(pieceMark)]);
  return [...new Set(its)].filter((mark) => marks.has(mark)).sort();
}

// index: the data; listed: how many files are shown without filters; shown: those that pass the
// filters; groups: pieces of those that are alike, by what they have in common; opened: pieces that
// are shown although one like them is; laidOut: the files that are on the page, which has to end
// somewhere.
export const state = {
  index: /** @type {Index} */ (/** @type {unknown} */ (null)),
  listed: 0,
  shown: /** @type {Item[]} */ ([]),
  groups: /** @type {Map<string, Group>} */ (new Map()),
  opened: /** @type {Set<string>} */ (new Set()),
  laidOut: /** @type {Item[]} */ ([]),
  want: /** @type {Want | null} */ (null),
  view: /** @type {View} */ ("side"),
  evidence: false,
  printing: false,
};
