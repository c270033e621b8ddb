// Only what is in sight, or close to it, is on the page; the rest is empty boxes of about its height.

import { byId, element } from "./dom.js";
import { bodyAtHand, bodyOf } from "./data.js";
import { isViewed, setViewed, state } from "./state.js";
import { estimatedHeight, fill } from "./sections.js";

const NEAR = "1000px 0px";

const items = new WeakMap();
const builders = new WeakMap();
let changed = () => {};

// Says what to call when a file was marked as viewed, or not any more.
export function onViewed(callback) {
  changed = callback;
}

export function sectionOf(file) {
  return byId(`file-${file.number}`);
}

function mount(section, body) {
  const item = items.get(section);
  section.style.height = "";
  section.classList.add("mounted");
  fill(section, item, body, viewedToggled, later);
}

function unmount(section) {
  // What has the focus must not go from under it.
  if (!section.classList.contains("mounted") || section.contains(document.activeElement)) return;
  section.style.height = `${section.offsetHeight}px`;
  section.classList.remove("mounted");
  section.replaceChildren();
}

async function cameNear(section) {
  if (section.classList.contains("mounted")) return;
  const { file } = items.get(section);
  const body = bodyAtHand(file) ?? (await bodyOf(file));
  if (section.isConnected && section.dataset.near && !section.classList.contains("mounted")) {
    mount(section, body);
  }
}

const watching = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) {
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
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting && !target.firstChild) {
        target.style.height = "";
        target.append(builders.get(target)());
      } else if (!isIntersecting && target.firstChild) {
        target.style.height = `${target.offsetHeight}px`;
        target.replaceChildren();
      }
    }
  },
  { rootMargin: NEAR },
);

function later(place, height, build) {
  place.style.height = `${height}px`;
  builders.set(place, build);
  watchingParts.observe(place);
}

// Mounts a file now, for somebody who goes there.
export async function ensureMounted(section) {
  section.dataset.near = "yes";
  await cameNear(section);
}

// The files that pass the filters, in parts that a page can hold: browsers end what is too high.
function parts() {
  const most = Number(byId("files").dataset.mostHeight);
  const found = [[]];
  let height = 0;
  for (const item of state.shown) {
    const its = estimatedHeight(item);
    if (height + its > most && found.at(-1).length) {
      found.push([]);
      height = 0;
    }
    height += its;
    found.at(-1).push(item);
  }
  return found;
}

function tellPart(all, number) {
  const before = all.slice(0, number).reduce((sum, part) => sum + part.length, 0);
  const [first, last] = [before + 1, before + all[number].length];
  const total = state.shown.length;
  byId("part").hidden = all.length === 1;
  byId("part-text").textContent = `Files ${first} to ${last} of ${total} are on the page.`;
  for (const [id, next] of [["part-before", number - 1], ["part-after", number + 1]]) {
    byId(id).disabled = !all[next];
    byId(id).onclick = () => {
      layOut(all[next][0].file);
      byId("files").scrollIntoView();
    };
  }
}

// Makes the boxes of the files that pass the filters: of the part with some file, or the first.
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

async function viewedToggled(file, viewed) {
  setViewed(file, viewed);
  const section = sectionOf(file);
  if (section) {
    mount(section, bodyAtHand(file) ?? (await bodyOf(file)));
    section.querySelector("input.viewed").focus({ preventScroll: true });
    if (section.getBoundingClientRect().top < 0) section.scrollIntoView();
  }
  changed();
}

export function toggleViewed(file) {
  return viewedToggled(file, !isViewed(file));
}

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
    if (body) mount(section, body);
    else section.replaceChildren(`${file.name}: not loaded yet; the button "Print" waits for it.`);
  }
}
