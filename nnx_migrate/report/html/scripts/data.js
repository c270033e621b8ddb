// The data of the page: packed, and unpacked when it is needed.

// Unpacked texts are kept up to this size, parsed packs up to this number.
const MOST_CHARACTERS = 40_000_000;
const MOST_PARSED = 24;

const texts = new Map();
const parsed = new Map();
let characters = 0;

function packed(number) {
  return document.querySelector(`script[data-pack="${number}"]`).textContent;
}

async function unpacked(number) {
  if (texts.has(number)) return texts.get(number);
  const bytes = Uint8Array.from(atob(packed(number)), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  const text = await new Response(stream).text();
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

function parsedPack(number, text) {
  if (!parsed.has(number)) parsed.set(number, JSON.parse(text));
  const pack = parsed.get(number);
  // Least recently used first, as a Map keeps the order of insertion.
  parsed.delete(number);
  parsed.set(number, pack);
  if (parsed.size > MOST_PARSED) parsed.delete(parsed.keys().next().value);
  return pack;
}

// Returns what the page always holds: files, manual pages of rules, cases of a check.
export async function readIndex() {
  const index = JSON.parse(await unpacked(0));
  texts.clear();
  characters = 0;
  index.files.forEach((file, number) => Object.assign(file, { number }));
  return index;
}

// Returns the body of a file.
export async function bodyOf(file) {
  return parsedPack(file.pack, await unpacked(file.pack))[file.place];
}

// Returns the body of a file if that takes no waiting.
export function bodyAtHand(file) {
  const text = texts.get(file.pack);
  if (!parsed.has(file.pack) && text === undefined) return null;
  return parsedPack(file.pack, text)[file.place];
}

// Unpacks everything ahead, a pack at a time while nothing else is to be done.
export function unpackAhead(files) {
  const numbers = [...new Set(files.map((file) => file.pack))];
  const size = numbers.reduce((sum, number) => sum + packed(number).length, 0);
  if (size > MOST_CHARACTERS / 12) return;
  const idle = window.requestIdleCallback ?? ((callback) => setTimeout(callback, 50));
  const step = () => {
    const number = numbers.shift();
    if (number !== undefined) unpacked(number).then(() => idle(step));
  };
  idle(step);
}
