// @ts-check
// The manual page of a rule.

import { byId, dialogOf, element } from "./dom.js";
import { state } from "./state.js";

/** @param {ManualPart} part */
function partOf(part) {
  return typeof part === "string" ? part : element("code", {}, part[0]);
}

/** @param {ManualBlock} block */
function blockOf([kind, content]) {
  if (kind === "h") return element("h3", {}, /** @type {string} */ (content));
  if (kind === "code") return element("pre", { tabindex: 0 }, /** @type {string} */ (content));
  const parts = /** @type {ManualPart[]} */ (content);
  if (kind === "li") return element("ul", {}, element("li", {}, ...parts.map(partOf)));
  return element("p", {}, ...parts.map(partOf));
}

/** @param {string} rule */
export function showManual(rule) {
  byId("rule-title").textContent = rule;
  byId("rule-text").replaceChildren(...state.index.rules[rule].map(blockOf));
  dialogOf("rule").showModal();
  byId("rule-text").scrollTop = 0;
}
