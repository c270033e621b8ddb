// @ts-check
// The data of the page: packed, and unpacked when it is needed.

// Unpacked texts are kept up to this size, parsed packs up to this number.
const MOST_CHARACTERS = 40_000_000;
const MOST_PARSED = 24;

/** @type {Map<number, string>} */
const texts = new Map();
/** @type {Map<number, Body[]>} */
const parsed = new Map();
let characters = 0;

/** @param {number} number */
function packed(number) {
  return document.querySelector(`script[data-pack="${number}"]`)?.textContent ?? "";
}

/** @param {number} number */
async function unpacked(number) {
  const known = texts.get(number);
  if (known !== undefined) return known;
  const text = await inflated(number);
  if (!texts.has(number)) {
    texts.set(number, text);
    characters += text.length;
  }
  for (const [oldest, old] of texts) {
    if (characters <= MOST_CHARACTERS) break;
    texts.delete(oldest);
    characters -= old.length;
  }
  return text;
}

/** @param {number} number */
function inflated(number) {
  const bytes = Uint8Array.from(atob(packed(number)), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).text();
}

/**
 * @param {number} number
 * @param {string} text
 * @returns {Body[]}
 */
function parsedPack(number, text) {
  const pack = parsed.get(number) ?? JSON.parse(text);
  // Least recently used first, as a Map keeps the order of insertion.
  parsed.delete(number);
  parsed.set(number, pack);
  if (parsed.size > MOST_PARSED) parsed.delete([...parsed.keys()][0]);
  return pack;
}

/**
 * Returns what the page always holds: files, manual pages of rules, cases of a check.
 *
 * @returns {Promise<Index>}
 */
export async function readIndex() {
  /** @type {Index} */
  const index = JSON.parse(await unpacked(0));
  texts.clear();
  characters = 0;
  index.files.forEach((file, number) => Object.assign(file, { number }));
  return index;
}

/**
 * Returns the body of a file.
 *
 * @param {FileEntry} file
 */
export async function bodyOf(file) {
  return parsedPack(file.pack, await unpacked(file.pack))[file.place];
}

/**
 * Returns the body of a file if that takes no waiting.
 *
 * @param {FileEntry} file
 */
export function bodyAtHand(file) {
  const text = texts.get(file.pack);
  if (!parsed.has(file.pack) && text === undefined) return null;
  return parsedPack(file.pack, text ?? "")[file.place];
}

/**
 * Calls back with every body, a pack at a time; none of them is kept for that.
 *
 * @param {FileEntry[]} files
 * @param {(file: FileEntry, body: Body) => void} callback
 */
export async function eachBody(files, callback) {
  /** @type {Map<number, FileEntry[]>} */
  const byPack = new Map();
  for (const file of files) byPack.set(file.pack, [...(byPack.get(file.pack) ?? []), file]);
  for (const [number, its] of byPack) {
    /** @type {Body[]} */
    const bodies = JSON.parse(texts.get(number) ?? (await inflated(number)));
    for (const file of its) callback(file, bodies[file.place]);
  }
}

/**
 * Unpacks everything ahead, a pack at a time while nothing else is to be done.
 *
 * @param {FileEntry[]} files
 */
export function unpackAhead(files) {
  const numbers = [...new Set(files.map((file) => file.pack))];
  const size = numbers.reduce((sum, number) => sum + packed(number).length, 0);
  if (size > MOST_CHARACTERS / 12) return;
  /** @param {() => void} callback */
  const later = (callback) => setTimeout(callback, 50);
  const idle = window.requestIdleCallback ?? later;
  const step = () => {
    const number = numbers.shift();
    if (number !== undefined) unpacked(number).then(() => idle(step));
  };
  idle(step);
}
