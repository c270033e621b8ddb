// @ts-check
// Only what is in sight, or close to it, is on the page; the rest is empty boxes of about its height.

import { allOf, buttonOf, byId, element } from "./dom.js";
import { bodyAtHand, bodyOf } from "./data.js";
import { isReviewed, isViewed, setReviewed, setViewed, state } from "./state.js";
import { estimatedHeight, fill } from "./sections.js";

const NEAR = "1000px 0px";

/** @type {WeakMap<Element, Item>} */
const items = new WeakMap();
/** @type {WeakMap<Element, () => HTMLElement>} */
const builders = new WeakMap();
let changed = () => {};
/** @type {HTMLElement | null} */
let held = null;

/**
 * The file of a section that this module has made.
 *
 * @param {Element} section
 */
function itemOf(section) {
  return /** @type {Item} */ (items.get(section));
}

/**
 * Says what to call when a file or hunk was marked, or is not any more.
 *
 * @param {() => void} callback
 */
export function onViewed(callback) {
  changed = callback;
}

/** @param {FileEntry} file */
export function sectionOf(file) {
  return document.getElementById(`file-${file.number}`);
}

/**
 * @param {HTMLElement} section
 * @param {Body} body
 */
function mount(section, body) {
  section.style.height = "";
  section.classList.add("mounted");
  fill(section, itemOf(section), body, actions);
}

/** @param {HTMLElement} section */
function unmount(section) {
  // What has the focus must not go from under it.
  if (!section.classList.contains("mounted") || section.contains(document.activeElement)) return;
  if (section === held) return;
  section.style.height = `${section.offsetHeight}px`;
  section.classList.remove("mounted");
  section.replaceChildren();
}

/** @param {HTMLElement} section */
async function cameNear(section) {
  if (section.classList.contains("mounted")) return;
  const { file } = itemOf(section);
  const body = bodyAtHand(file) ?? (await bodyOf(file));
  if (section.isConnected && section.dataset.near && !section.classList.contains("mounted")) {
    mount(section, body);
  }
}

const watching = new IntersectionObserver(
  (entries) => {
    for (const { target: found, isIntersecting } of entries) {
      const target = /** @type {HTMLElement} */ (found);
      if (isIntersecting) {
        target.dataset.near = "yes";
        cameNear(target);
      } else if (!state.printing) {
        delete target.dataset.near;
        unmount(target);
      }
    }
  },
  { rootMargin: NEAR },
);

const watchingParts = new IntersectionObserver(
  (entries) => {
    for (const { target: found, isIntersecting } of entries) {
      const target = /** @type {HTMLElement} */ (found);
      if (isIntersecting && !target.firstChild) {
        target.style.height = "";
        target.append(builders.get(target)?.() ?? "");
      } else if (!isIntersecting && target.firstChild) {
        target.style.height = `${target.offsetHeight}px`;
        target.replaceChildren();
      }
    }
  },
  { rootMargin: NEAR },
);

/**
 * @param {HTMLElement} place
 * @param {number} height
 * @param {() => HTMLElement} build
 */
function later(place, height, build) {
  place.style.height = `${height}px`;
  builders.set(place, build);
  watchingParts.observe(place);
}

/**
 * Mounts a file now, for somebody who goes there, and keeps it until somebody goes elsewhere: that it
 * is not in sight yet must not take it away.
 *
 * @param {HTMLElement} section
 */
export async function ensureMounted(section) {
  held = section;
  if (section.classList.contains("mounted")) return;
  const { file } = itemOf(section);
  const body = bodyAtHand(file) ?? (await bodyOf(file));
  if (section.isConnected && !section.classList.contains("mounted")) mount(section, body);
}

// The files that pass the filters, in parts that a page can hold: browsers end what is too high.
function parts() {
  const most = Number(byId("files").dataset.mostHeight);
  /** @type {Item[][]} */
  const found = [[]];
  let height = 0;
  for (const item of state.shown) {
    const its = estimatedHeight(item);
    if (height + its > most && found[found.length - 1].length) {
      found.push([]);
      height = 0;
    }
    height += its;
    found[found.length - 1].push(item);
  }
  return found;
}

/**
 * @param {Item[][]} all
 * @param {number} number
 */
function tellPart(all, number) {
  const before = all.slice(0, number).reduce((sum, part) => sum + part.length, 0);
  const [first, last] = [before + 1, before + all[number].length];
  const total = state.shown.length;
  byId("part").hidden = all.length === 1;
  byId("part-text").textContent = `Files ${first} to ${last} of ${total} are on the page.`;
  const ways = /** @type {[string, number][]} */ ([["part-before", number - 1], ["part-after", number + 1]]);
  for (const [id, next] of ways) {
    buttonOf(id).disabled = !all[next];
    byId(id).onclick = () => {
      layOut(all[next][0].file);
      byId("files").scrollIntoView();
    };
  }
}

/**
 * Makes the boxes of the files that pass the filters: of the part with some file, or the first.
 *
 * @param {FileEntry | null} file
 */
export function layOut(file = null) {
  watching.disconnect();
  watchingParts.disconnect();
  const all = parts();
  const number = Math.max(0, all.findIndex((part) => part.some((item) => item.file === file)));
  state.laidOut = all[number];
  tellPart(all, number);
  const sections = state.laidOut.map((item) => {
    const section = element("section", {
      class: "file",
      id: `file-${item.file.number}`,
      "aria-label": item.file.name,
    });
    section.style.height = `${estimatedHeight(item)}px`;
    items.set(section, item);
    return section;
  });
  byId("files").replaceChildren(...sections);
  sections.forEach((section) => watching.observe(section));
}

/**
 * Makes what is on the page anew: a mark shows in every hunk that is like the one it was made at.
 *
 * @param {FileEntry | null} only the file to do that for
 */
export async function remount(only = null) {
  for (const section of allOf("#files > section.mounted")) {
    const { file } = itemOf(section);
    if (only && file !== only) continue;
    mount(section, bodyAtHand(file) ?? (await bodyOf(file)));
  }
}

/**
 * @param {FileEntry} file
 * @param {boolean} viewed
 */
async function viewedToggled(file, viewed) {
  setViewed(file, viewed);
  changed();
  await remount();
  const section = sectionOf(file);
  if (!section) return;
  /** @type {HTMLElement | null} */
  const box = section.querySelector("input.viewed");
  box?.focus({ preventScroll: true });
  if (section.getBoundingClientRect().top < 0) section.scrollIntoView();
}

/**
 * @param {FileEntry} file
 * @param {number} piece
 * @param {boolean} reviewed
 */
async function reviewedToggled(file, piece, reviewed) {
  setReviewed(file, piece, reviewed);
  changed();
  await redrawn(file, piece);
}

/**
 * @param {FileEntry} file
 * @param {number} piece
 */
async function redrawn(file, piece) {
  await remount();
  const place = document.getElementById(`piece-${file.number}-${piece}`) ?? sectionOf(file);
  /** @type {HTMLElement | null} */
  const box = place?.querySelector("input.reviewed, input.viewed") ?? null;
  box?.focus({ preventScroll: true });
  if (place && place.getBoundingClientRect().top < 0) place.scrollIntoView();
}

/** @param {FileEntry} file */
export function toggleViewed(file) {
  return viewedToggled(file, !isViewed(file));
}

/**
 * @param {FileEntry} file
 * @param {number} piece
 */
export function toggleReviewed(file, piece) {
  return reviewedToggled(file, piece, !isReviewed(file, piece));
}

const actions = { viewed: viewedToggled, reviewed: reviewedToggled, redrawn, later };

// Puts everything on the page, for the printer; what cannot be had without waiting, if `wait`.
export async function showAll() {
  await Promise.all(state.laidOut.map(({ file }) => bodyOf(file)));
  showAllAtHand();
}

export function showAllAtHand() {
  state.printing = true;
  for (const { file } of state.laidOut) {
    const body = bodyAtHand(file);
    const section = sectionOf(file);
    if (section && body) mount(section, body);
    else section?.replaceChildren(`${file.name}: not loaded yet; the button "Print" waits for it.`);
  }
}
