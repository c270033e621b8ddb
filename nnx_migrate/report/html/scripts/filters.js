// @ts-check
// Which files and hunks are shown. The form says, and the address of the page can.

import { allOf, byId, fieldOf, plural } from "./dom.js";
import { groupsOf } from "./folding.js";
import { hasWords } from "./search.js";
import { isViewed, state } from "./state.js";

/** @typedef {"rule" | "outcome" | "verdict" | "owner"} Facet */
const FACETS = /** @type {Facet[]} */ (["rule", "outcome", "verdict", "owner"]);

/** @param {string} facet */
function boxes(facet) {
  const found = allOf(`input[name="${facet}"]`, byId("filters"));
  return found.map((each) => /** @type {HTMLInputElement} */ (each));
}

/** @param {Facet} facet */
function chosen(facet) {
  return new Set(boxes(facet).filter((box) => box.checked).map((box) => box.value));
}

/** @returns {Want} */
export function wanted() {
  const words = fieldOf("query").value.toLowerCase().split(/\s+/).filter(Boolean);
  const [rule, outcome, verdict, owner] = FACETS.map(chosen);
  return { rule, outcome, verdict, owner, words, unviewed: fieldOf("unviewed").checked };
}

/**
 * Sites that stay the same are shown only where they are asked for.
 *
 * @param {Key} key
 * @param {Want} want
 */
function explains([rule, outcome], want) {
  if (want.rule.size && !want.rule.has(rule)) return false;
  return want.outcome.size ? want.outcome.has(outcome) : outcome !== "same";
}

/**
 * @param {FileEntry} file
 * @param {Want} want
 */
function ownedAsWanted(file, want) {
  if (!want.owner.size) return true;
  return file.owners.length ? file.owners.some((o) => want.owner.has(o)) : want.owner.has("");
}

/**
 * Returns what of a file passes, or null.
 *
 * @param {FileEntry} file
 * @param {Want} want
 * @returns {Item | null}
 */
function passing(file, want) {
  if (!ownedAsWanted(file, want)) return null;
  if (want.unviewed && isViewed(file)) return null;
  const whole = want.outcome.has(file.status) && !want.rule.size;
  const narrowed = want.rule.size || want.outcome.size;
  /** @type {number[]} */
  const pieces = [];
  file.pieces.forEach((piece, number) => {
    const bySite = piece.findings.some((key) => explains(key, want));
    const ok = whole || bySite || (!narrowed && !piece.findings.length);
    const verdict = !want.verdict.size || want.verdict.has(piece.verdict);
    if (ok && verdict && hasWords(file, number, want.words)) pieces.push(number);
  });
  const named = hasWords(file, null, want.words);
  const site = whole || file.alone.some((key) => explains(key, want));
  const alone = !want.verdict.size && site && named;
  const told = !narrowed && !want.verdict.size && file.status !== "unchanged" && named;
  return pieces.length || alone || told ? { file, pieces, alone } : null;
}

// Counts the files that there are without any filter.
export function countListed() {
  const none = new Set();
  const want = { rule: none, outcome: none, verdict: none, owner: none, words: [], unviewed: false };
  state.listed = state.index.files.filter((file) => passing(file, want)).length;
}

// Reads the form and says how much passes.
export function applyFilters() {
  const want = wanted();
  state.want = want;
  const items = state.index.files.map((file) => passing(file, want));
  state.shown = /** @type {Item[]} */ (items.filter(Boolean));
  state.groups = groupsOf(state.shown);
  const hunks = state.shown.reduce((sum, each) => sum + each.pieces.length, 0);
  const viewed = state.shown.filter((each) => isViewed(each.file)).length;
  // Files in which everything stays the same are not counted, as they are not shown.
  const all = want.outcome.has("same") ? state.index.files.length : state.listed;
  byId("count").textContent = `${plural(state.shown.length, "file")} of ${all.toLocaleString("en")}, ${plural(hunks, "hunk")}, ${viewed.toLocaleString("en")} viewed`;
  byId("clear").hidden = !isNarrowed(want);
  byId("none").hidden = state.shown.length > 0;
}

/** @param {Want} want */
function isNarrowed(want) {
  return want.unviewed || want.words.length > 0 || FACETS.some((facet) => want[facet].size > 0);
}

/**
 * Whether a finding is one of those that the reader has chosen.
 *
 * @param {Told} finding
 */
export function isChosen(finding) {
  const { want } = state;
  if (!want || !(want.rule.size || want.outcome.size)) return true;
  return explains([finding.rule, finding.outcome], want);
}

export function clearFilters() {
  /** @type {HTMLFormElement} */ (byId("filters")).reset();
}

// The filters as they stand in the address of the page.
export function filtersAsParameters() {
  const parameters = new URLSearchParams();
  const query = fieldOf("query").value.trim();
  if (query) parameters.set("q", query);
  for (const facet of FACETS) {
    for (const box of boxes(facet)) if (box.checked) parameters.append(facet, box.value);
  }
  return parameters;
}

/** @param {URLSearchParams} parameters */
export function takeFilters(parameters) {
  fieldOf("query").value = parameters.get("q") ?? "";
  for (const facet of FACETS) {
    const values = new Set(parameters.getAll(facet));
    for (const box of boxes(facet)) box.checked = values.has(box.value);
  }
}
