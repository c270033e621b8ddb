// What the reader has chosen, and what of it the browser remembers.

const PREFIX = "nnx-migrate.";

// Storage may be forbidden; then things are remembered as long as the page is open.
const memory = new Map();

export function remembered(key) {
  try {
    return localStorage.getItem(PREFIX + key) ?? memory.get(key) ?? null;
  } catch {
    return memory.get(key) ?? null;
  }
}

export function remember(key, value) {
  memory.set(key, value);
  try {
    if (value === null) localStorage.removeItem(PREFIX + key);
    else localStorage.setItem(PREFIX + key, value);
  } catch {
    // Kept in memory already.
  }
}

// A file is viewed as long as its change stays what it is: the mark goes by its digest.
export function isViewed(file) {
  return remembered(`viewed.${file.digest}`) !== null;
}

export function setViewed(file, viewed) {
  remember(`viewed.${file.digest}`, viewed ? "1" : null);
}

// index: the data; listed: how many files are shown without filters; shown: those that pass the
// filters, each {file, pieces, alone}; laidOut: those of them that are on the page, which has to end
// somewhere; view: "side" or "inline".
export const state = {
  index: null,
  listed: 0,
  shown: [],
  laidOut: [],
  view: "side",
  evidence: false,
  printing: false,
};
