// @ts-check
// The keyboard. No key counts while somebody types, and none with Ctrl, Alt or Cmd.

import { allOf, dialogOf, fieldOf } from "./dom.js";
import { remember, remembered } from "./state.js";
import { fileHere, goToFile, goToHunk, placeHere } from "./travel.js";
import { toggleReviewed, toggleViewed } from "./sight.js";

/** @param {Record<"switchView" | "switchEvidence" | "switchTheme" | "print", () => unknown>} actions */
export function listenToKeys(actions) {
  /** @type {Record<string, () => unknown>} */
  const keys = {
    j: () => goToHunk(1),
    k: () => goToHunk(-1),
    n: () => goToFile(1),
    p: () => goToFile(-1),
    v: () => {
      const file = fileHere();
      return file && toggleViewed(file);
    },
    r: () => {
      const place = placeHere();
      return place && place.piece !== null && toggleReviewed(place.file, place.piece);
    },
    "/": () => {
      fieldOf("query").focus();
      fieldOf("query").select();
    },
    x: () => {
      for (const more of allOf(".piece.current .more")) more.click();
    },
    s: actions.switchView,
    e: actions.switchEvidence,
    t: actions.switchTheme,
    "?": () => dialogOf("help").showModal(),
  };
  const on = fieldOf("keys-on");
  on.checked = remembered("keys") !== "off";
  on.addEventListener("change", () => remember("keys", on.checked ? "on" : "off"));
  // One step after the other, so that keys that come fast are not lost.
  /** @type {Promise<unknown>} */
  let running = Promise.resolve();
  document.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key === "p" && !event.altKey) {
      event.preventDefault();
      actions.print();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    const target = /** @type {HTMLElement} */ (event.target);
    if (target.closest("input[type=search], input[type=text], textarea, select")) {
      if (event.key === "Escape") target.blur();
      return;
    }
    const action = keys[event.key];
    if (!action || !on.checked) return;
    event.preventDefault();
    running = running.then(action).catch(console.error);
  });
}
