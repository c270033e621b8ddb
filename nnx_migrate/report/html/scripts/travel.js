// Going from place to place: next and previous, and the places that an address names.

import { bodyOf } from "./data.js";
import { isViewed, state } from "./state.js";
import { ensureMounted, layOut, sectionOf } from "./sight.js";

// What is above a place that is gone to: the bar of the page.
const ABOVE = 56;

// The place that was last gone to: {file, piece}, piece null for the head of the file.
let current = null;

function settled() {
  return new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
}

function elementOf({ file, piece }) {
  if (piece === null) return sectionOf(file);
  return document.getElementById(`piece-${file.number}-${piece}`) ?? sectionOf(file);
}

function mark(element) {
  document.querySelector(".current")?.classList.remove("current");
  element.classList.add("current");
  moved(current.file);
}

let moved = () => {};

// Says what to call with the file that the reader has gone to.
export function onMoved(callback) {
  moved = callback;
}

// Scrolls there. What is above it may be made on the way, and take more room than was thought.
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
    const extra = place.piece === null ? 0 : section.querySelector(".file-head").offsetHeight;
    const off = element.getBoundingClientRect().top - ABOVE - extra;
    if (Math.abs(off) > 1) window.scrollBy({ top: off, behavior: "instant" });
    await settled();
    const atEnd = window.innerHeight + window.scrollY >= document.documentElement.scrollHeight - 2;
    const still = Math.abs(elementOf(place).getBoundingClientRect().top - ABOVE - extra) <= 1;
    if (still || (atEnd && off > 0)) break;
  }
  const element = elementOf(place);
  mark(element);
  const target = place.piece === null ? section.querySelector("h2") : element;
  if (focus) target.focus({ preventScroll: true });
  return true;
}

// Where the reader is: the place gone to, if it is still in sight, else the file at the top.
function here() {
  if (current && sectionOf(current.file)) {
    const box = elementOf(current).getBoundingClientRect();
    if (box.bottom > ABOVE && box.top < window.innerHeight) return { ...current, exact: true };
  }
  const { laidOut } = state;
  let low = 0;
  let high = laidOut.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const box = sectionOf(laidOut[middle].file).getBoundingClientRect();
    if (box.bottom > ABOVE + 1) high = middle;
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

// Says where the reader is, when something else than a key brought them there.
export function setHere(file, piece) {
  current = { file, piece };
  mark(elementOf(current));
}

function placesOf(item) {
  return isViewed(item.file) ? [] : item.pieces.map((piece) => ({ file: item.file, piece }));
}

export function goToHunk(step) {
  const from = here();
  if (!from) return;
  let number = state.shown.findIndex((item) => item.file === from.file);
  let places = placesOf(state.shown[number]);
  const at = places.findIndex((place) => place.piece === from.piece);
  let next = at >= 0 ? at + step : step > 0 ? 0 : -1;
  while (!places[next]) {
    number += step;
    if (!state.shown[number]) return;
    places = placesOf(state.shown[number]);
    next = step > 0 ? 0 : places.length - 1;
  }
  return goTo(places[next]);
}

export function goToFile(step) {
  const from = here();
  if (!from) return;
  const number = state.shown.findIndex((item) => item.file === from.file);
  // A file whose head is not in sight is gone to itself first.
  const next = from.exact ? number + step : step > 0 ? number : number - 1;
  const item = state.shown[next];
  return item && goTo({ file: item.file, piece: null });
}

// Goes where an address names; false where the filters hide it.
export async function goToAddress(name, line) {
  const item = state.shown.find(({ file }) => file.name === name);
  if (!item) return false;
  const piece = line ? pieceAt(item, await bodyOf(item.file), line) : null;
  return goTo({ file: item.file, piece });
}

// The shown piece that holds a line, or else comes last before it.
function pieceAt({ file, pieces }, body, line) {
  const exact = pieces.find((number) => file.pieces[number].line === line);
  const before = pieces.filter((number) => body.pieces[number].old <= line);
  return exact ?? before.at(-1) ?? pieces[0] ?? null;
}
