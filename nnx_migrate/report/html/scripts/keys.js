// The keyboard. No key counts while somebody types, and none with Ctrl, Alt or Cmd.

import { byId } from "./dom.js";
import { remember, remembered } from "./state.js";
import { fileHere, goToFile, goToHunk } from "./travel.js";
import { toggleViewed } from "./sight.js";

export function listenToKeys(actions) {
  const keys = {
    j: () => goToHunk(1),
    k: () => goToHunk(-1),
    n: () => goToFile(1),
    p: () => goToFile(-1),
    v: () => {
      const file = fileHere();
      return file && toggleViewed(file);
    },
    "/": () => {
      byId("query").focus();
      byId("query").select();
    },
    x: () => {
      for (const more of document.querySelectorAll(".piece.current .more")) more.click();
    },
    s: actions.switchView,
    e: actions.switchEvidence,
    t: actions.switchTheme,
    "?": () => byId("help").showModal(),
  };
  const on = byId("keys-on");
  on.checked = remembered("keys") !== "off";
  on.addEventListener("change", () => remember("keys", on.checked ? "on" : "off"));
  // One step after the other, so that keys that come fast are not lost.
  let running = Promise.resolve();
  document.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key === "p" && !event.altKey) {
      event.preventDefault();
      actions.print();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    if (event.target.closest("input[type=search], textarea, select")) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    const action = keys[event.key];
    if (!action || !on.checked) return;
    event.preventDefault();
    running = running.then(action).catch(console.error);
  });
}
