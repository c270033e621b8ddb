// @ts-check
// Going from place to place: next and previous, and the places that an address names.

import { bodyOf } from "./data.js";
import { isFolded, open } from "./folding.js";
import { isReviewed, isViewed, state } from "./state.js";
import { ensureMounted, layOut, remount, sectionOf } from "./sight.js";

// What is above a place that is gone to: the bar of the page, which has two rows on a phone.
function above() {
  const bar = document.querySelector(".top");
  return (bar ? bar.getBoundingClientRect().height : 48) + 8;
}

// The place that was last gone to: {file, piece}, piece null for the head of the file.
/** @type {Goal | null} */
let current = null;

function settled() {
  return new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
}

/**
 * The box of a file that is laid out, or of a piece of it.
 *
 * @param {Goal} goal
 */
function elementOf({ file, piece }) {
  const section = /** @type {HTMLElement} */ (sectionOf(file));
  if (piece === null) return section;
  return document.getElementById(`piece-${file.number}-${piece}`) ?? section;
}

/**
 * @param {HTMLElement} element
 * @param {FileEntry} file
 */
function mark(element, file) {
  document.querySelector(".current")?.classList.remove("current");
  element.classList.add("current");
  moved(file);
}

/** @type {(file: FileEntry) => void} */
let moved = () => {};

/**
 * Says what to call with the file that the reader has gone to.
 *
 * @param {(file: FileEntry) => void} callback
 */
export function onMoved(callback) {
  moved = callback;
}

/**
 * Scrolls there. What is above it may be made on the way, and take more room than was thought.
 *
 * @param {Goal} place
 */
export async function goTo(place, { focus = true } = {}) {
  if (!sectionOf(place.file)) layOut(place.file);
  const section = sectionOf(place.file);
  if (!section) return false;
  current = place;
  await ensureMounted(section);
  // The filters may have changed meanwhile.
  if (!section.isConnected) return true;
  for (let tries = 0; tries < 8; tries += 1) {
    const element = elementOf(place);
    const extra = place.piece === null ? 0 : headHeight(section);
    const off = element.getBoundingClientRect().top - above() - extra;
    if (Math.abs(off) > 1) window.scrollBy({ top: off, behavior: "instant" });
    await settled();
    const atEnd = window.innerHeight + window.scrollY >= document.documentElement.scrollHeight - 2;
    const still = Math.abs(elementOf(place).getBoundingClientRect().top - above() - extra) <= 1;
    if (still || (atEnd && off > 0)) break;
  }
  const element = elementOf(place);
  mark(element, place.file);
  const target = place.piece === null ? (section.querySelector("h2") ?? element) : element;
  if (focus) target.focus({ preventScroll: true });
  return true;
}

/** @param {HTMLElement} section */
function headHeight(section) {
  /** @type {HTMLElement | null} */
  const head = section.querySelector(".file-head");
  return head?.offsetHeight ?? 0;
}

// Where the reader is: the place gone to, if it is still in sight, else the file at the top.
function here() {
  if (current && sectionOf(current.file)) {
    const box = elementOf(current).getBoundingClientRect();
    if (box.bottom > above() && box.top < window.innerHeight) return { ...current, exact: true };
  }
  const { laidOut } = state;
  let low = 0;
  let high = laidOut.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const box = elementOf({ file: laidOut[middle].file, piece: null }).getBoundingClientRect();
    if (box.bottom > above() + 1) high = middle;
    else low = middle + 1;
  }
  return low < laidOut.length ? { file: laidOut[low].file, piece: null, exact: false } : null;
}

export function fileHere() {
  return here()?.file ?? null;
}

// Where the reader is, as something to go to.
export function placeHere() {
  const found = here();
  return found && { file: found.file, piece: found.piece };
}

/**
 * Says where the reader is, when something else than a key brought them there.
 *
 * @param {FileEntry} file
 * @param {number} piece
 */
export function setHere(file, piece) {
  current = { file, piece };
  mark(elementOf(current), file);
}

/**
 * The places of a file that are still to be looked at.
 *
 * @param {Item | undefined} item
 * @returns {Goal[]}
 */
function placesOf(item) {
  if (!item || isViewed(item.file)) return [];
  const { file, pieces } = item;
  const left = pieces.filter((piece) => !isFolded(file, piece) && !isReviewed(file, piece));
  return left.map((piece) => ({ file, piece }));
}

/**
 * @param {number} step
 * @returns {Promise<boolean> | undefined}
 */
export function goToHunk(step) {
  const from = here();
  if (!from) return undefined;
  let number = state.shown.findIndex((item) => item.file === from.file);
  let places = placesOf(state.shown[number]);
  let next = nextOf(places, from.piece, step);
  while (!places[next]) {
    number += step;
    if (!state.shown[number]) return undefined;
    places = placesOf(state.shown[number]);
    next = step > 0 ? 0 : places.length - 1;
  }
  return goTo(places[next]);
}

/**
 * The place of a file that comes next, by its number among them; one that there is not for none.
 *
 * @param {Goal[]} places
 * @param {number | null} piece where the reader is, which may be reviewed by now
 * @param {number} step
 */
function nextOf(places, piece, step) {
  if (piece === null) return step > 0 ? 0 : -1;
  const after = places.findIndex((place) => (place.piece ?? 0) > piece);
  if (step > 0) return after < 0 ? places.length : after;
  const before = places.filter((place) => (place.piece ?? 0) < piece);
  return before.length - 1;
}

/**
 * @param {number} step
 * @returns {Promise<boolean> | undefined}
 */
export function goToFile(step) {
  const from = here();
  if (!from) return undefined;
  const number = state.shown.findIndex((item) => item.file === from.file);
  // A file whose head is not in sight is gone to itself first.
  const next = from.exact ? number + step : step > 0 ? number : number - 1;
  const item = state.shown[next];
  return item ? goTo({ file: item.file, piece: null }) : undefined;
}

/**
 * Goes where an address names; false where the filters hide it.
 *
 * @param {string} name
 * @param {number} line
 */
export async function goToAddress(name, line) {
  const item = state.shown.find(({ file }) => file.name === name);
  if (!item) return false;
  const piece = line ? pieceAt(item, await bodyOf(item.file), line) : null;
  if (piece !== null && isFolded(item.file, piece)) {
    open(item.file, piece);
    await remount(item.file);
  }
  return goTo({ file: item.file, piece });
}

/**
 * The shown piece that holds a line, or else comes last before it.
 *
 * @param {Item} item
 * @param {Body} body
 * @param {number} line
 */
function pieceAt({ file, pieces }, body, line) {
  const exact = pieces.find((number) => file.pieces[number].line === line);
  const before = pieces.filter((number) => body.pieces[number].old <= line);
  return exact ?? before.at(-1) ?? pieces[0] ?? null;
}
