// @ts-check
// How far the review is, and taking that elsewhere.

import { byId, dialogOf, element, fieldOf } from "./dom.js";
import { isMark, isReviewed, isViewed, marksOf, remember, remembered, setMark, state } from "./state.js";

const FORMAT = "nnx-migrate review progress";

// Says how many hunks of the run are reviewed.
export function drawProgress() {
  let [all, done, files] = [0, 0, 0];
  for (const file of state.index.files) {
    if (file.pieces.length && isViewed(file)) files += 1;
    file.pieces.forEach((_, number) => {
      all += 1;
      if (isReviewed(file, number)) done += 1;
    });
  }
  const bar = /** @type {HTMLProgressElement} */ (byId("progress"));
  bar.max = Math.max(all, 1);
  bar.value = done;
  const words = `${done.toLocaleString("en")} of ${all.toLocaleString("en")} hunks reviewed`;
  bar.title = words;
  bar.textContent = words;
  byId("progress-text").textContent = `${words}, ${files.toLocaleString("en")} files viewed.`;
}

function save() {
  const kept = { format: FORMAT, version: 1, marks: marksOf(state.index.files) };
  const blob = new Blob([JSON.stringify(kept, null, 1)], { type: "application/json" });
  const address = URL.createObjectURL(blob);
  element("a", { href: address, download: "nnx-migrate-review.json" }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
  say("Saved. Load this file on another machine to go on there.");
}

/** @param {string} words */
function say(words) {
  byId("progress-said").textContent = words;
}

/**
 * @param {string} text
 * @returns {string[] | null}
 */
function marksIn(text) {
  try {
    const read = JSON.parse(text);
    const known = read?.format === FORMAT && read.version === 1 && Array.isArray(read.marks);
    return known && read.marks.every(isMark) ? read.marks : null;
  } catch {
    return null;
  }
}

/**
 * @param {File} file
 * @param {() => void} changed
 */
async function load(file, changed) {
  const marks = marksIn(await file.text());
  if (!marks) {
    say(`${file.name} is not a saved review. Choose a file that "Save progress" wrote.`);
    return;
  }
  for (const mark of marks) setMark(mark, true);
  changed();
  say(`Loaded ${marks.length.toLocaleString("en")} marks.`);
}

/**
 * Makes the dialog work; `changed` is called when marks or links are others.
 *
 * @param {() => void} changed
 */
export function listenToProgress(changed) {
  byId("review-open").addEventListener("click", () => {
    say("");
    dialogOf("review").showModal();
  });
  byId("progress-save").addEventListener("click", save);
  const chosen = fieldOf("progress-load");
  chosen.addEventListener("change", async () => {
    if (chosen.files?.length) await load(chosen.files[0], changed);
    chosen.value = "";
  });
  for (const name of ["editor", "checkout"]) {
    const field = fieldOf(name);
    field.value = remembered(name) ?? field.value;
    field.addEventListener("change", () => {
      remember(name, field.value || null);
      changed();
    });
  }
}
