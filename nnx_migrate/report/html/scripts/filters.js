// Which files and hunks are shown. The form says, and the address of the page can.

import { byId, plural } from "./dom.js";
import { isViewed, state } from "./state.js";

const FACETS = ["rule", "outcome", "verdict", "owner"];

function boxes(facet) {
  return [...byId("filters").querySelectorAll(`input[name="${facet}"]`)];
}

export function wanted() {
  const chosen = FACETS.map((facet) => {
    const values = boxes(facet).filter((box) => box.checked).map((box) => box.value);
    return [facet, new Set(values)];
  });
  const words = byId("query").value.toLowerCase().split(/\s+/).filter(Boolean);
  return { ...Object.fromEntries(chosen), words, unviewed: byId("unviewed").checked };
}

// Sites that stay the same are shown only where they are asked for.
function explains([rule, outcome], want) {
  if (want.rule.size && !want.rule.has(rule)) return false;
  return want.outcome.size ? want.outcome.has(outcome) : outcome !== "same";
}

function ownedAsWanted(file, want) {
  if (!want.owner.size) return true;
  return file.owners.length ? file.owners.some((o) => want.owner.has(o)) : want.owner.has("");
}

// Returns what of a file passes: {file, pieces, alone}, or null.
function passing(file, want) {
  const name = file.name.toLowerCase();
  if (!want.words.every((word) => name.includes(word))) return null;
  if (!ownedAsWanted(file, want)) return null;
  if (want.unviewed && isViewed(file)) return null;
  const whole = want.outcome.has(file.status) && !want.rule.size;
  const narrowed = want.rule.size || want.outcome.size;
  const pieces = [];
  file.pieces.forEach((piece, number) => {
    const bySite = piece.findings.some((key) => explains(key, want));
    const ok = whole || bySite || (!narrowed && !piece.findings.length);
    if (ok && (!want.verdict.size || want.verdict.has(piece.verdict))) pieces.push(number);
  });
  const alone = !want.verdict.size && (whole || file.alone.some((key) => explains(key, want)));
  const told = !narrowed && !want.verdict.size && file.status !== "unchanged";
  return pieces.length || alone || told ? { file, pieces, alone } : null;
}

// Counts the files that there are without any filter.
export function countListed() {
  const nothing = Object.fromEntries(FACETS.map((facet) => [facet, new Set()]));
  const want = { ...nothing, words: [], unviewed: false };
  state.listed = state.index.files.filter((file) => passing(file, want)).length;
}

// Reads the form and says how much passes.
export function applyFilters() {
  const want = wanted();
  state.shown = state.index.files.map((file) => passing(file, want)).filter(Boolean);
  const hunks = state.shown.reduce((sum, each) => sum + each.pieces.length, 0);
  const viewed = state.shown.filter((each) => isViewed(each.file)).length;
  // Files in which everything stays the same are not counted, as they are not shown.
  const all = want.outcome.has("same") ? state.index.files.length : state.listed;
  byId("count").textContent = `${plural(state.shown.length, "file")} of ${all.toLocaleString("en")}, ${plural(hunks, "hunk")}, ${viewed.toLocaleString("en")} viewed`;
  byId("clear").hidden = !isNarrowed(want);
  byId("none").hidden = state.shown.length > 0;
}

function isNarrowed(want) {
  return want.unviewed || want.words.length > 0 || FACETS.some((facet) => want[facet].size > 0);
}

export function clearFilters() {
  byId("filters").reset();
}

// The filters as they stand in the address of the page.
export function filtersAsParameters() {
  const parameters = new URLSearchParams();
  const query = byId("query").value.trim();
  if (query) parameters.set("q", query);
  for (const facet of FACETS) {
    for (const box of boxes(facet)) if (box.checked) parameters.append(facet, box.value);
  }
  return parameters;
}

export function takeFilters(parameters) {
  byId("query").value = parameters.get("q") ?? "";
  for (const facet of FACETS) {
    const values = new Set(parameters.getAll(facet));
    for (const box of boxes(facet)) box.checked = values.has(box.value);
  }
}
