// @ts-check
// The start: everything is put together here.

import { allOf, byId, dialogOf, fieldOf, oncePerFrame } from "./dom.js";
import { bodyOf, readIndex, unpackAhead } from "./data.js";
import { readMarks, remember, remembered, state } from "./state.js";
import {
  applyFilters,
  clearFilters,
  countListed,
  filtersAsParameters,
  takeFilters,
} from "./filters.js";
import { layOut, onViewed, showAll, showAllAtHand } from "./sight.js";
import { goTo, goToAddress, onMoved, placeHere, setHere } from "./travel.js";
import { drawFileList, drawRowsInSight, drawTodo, showInFileList } from "./lists.js";
import { drawProgress, listenToProgress } from "./progress.js";
import { readTexts } from "./search.js";
import { showManual } from "./manual.js";
import { listenToKeys } from "./keys.js";

function draw() {
  applyFilters();
  layOut();
  drawFileList();
  drawTodo();
  drawProgress();
}

/** @param {[string, string][]} extra */
function keepAddress(extra = []) {
  const parameters = filtersAsParameters();
  for (const [name, value] of extra) parameters.set(name, value);
  const hash = parameters.toString();
  history.replaceState(null, "", hash ? `#${hash}` : location.pathname + location.search);
}

function filtersChanged() {
  draw();
  keepAddress();
  searchTexts();
}

// Words are looked for in names at once, and in the hunks when those are read.
async function searchTexts() {
  if (!fieldOf("query").value.trim()) return;
  byId("count").append(" · searching the hunks…");
  if (await readTexts(state.index.files)) draw();
  else applyFilters();
}

async function redrawInPlace() {
  const place = window.scrollY > byId("files").offsetTop - 100 ? placeHere() : null;
  layOut(place?.file);
  if (place) await goTo(place);
}

/** @param {View} view */
function setView(view) {
  state.view = view;
  remember("view", view);
  for (const button of allOf("[data-view]")) {
    button.setAttribute("aria-pressed", String(button.dataset.view === view));
  }
}

function switchView() {
  setView(state.view === "side" ? "inline" : "side");
  return redrawInPlace();
}

function switchEvidence() {
  state.evidence = !state.evidence;
  for (const details of allOf("details.evidence")) {
    /** @type {HTMLDetailsElement} */ (details).open = state.evidence;
  }
}

function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

/** @param {string | null} theme */
function setTheme(theme) {
  if (theme) document.documentElement.dataset.theme = theme;
  byId("theme").setAttribute("aria-pressed", String(isDark()));
}

function switchTheme() {
  const theme = isDark() ? "light" : "dark";
  remember("theme", theme);
  setTheme(theme);
}

async function print() {
  await showAll();
  window.print();
}

function afterPrint() {
  state.printing = false;
  layOut();
}

async function followAddress() {
  const parameters = new URLSearchParams(location.hash.slice(1));
  const name = parameters.get("file");
  const line = Number(parameters.get("line") ?? 0);
  const filters = filtersAsParameters().toString();
  // An address that names no filters, on this page, leaves them as they are.
  const named = [...parameters.keys()].some((key) => key !== "file" && key !== "line");
  if (named) takeFilters(parameters);
  if (fieldOf("query").value) await readTexts(state.index.files);
  if (filtersAsParameters().toString() !== filters) draw();
  if (!name) return;
  if (!state.index.files.some((file) => file.name === name)) {
    byId("count").textContent = `There is no ${name} in this review.`;
    return;
  }
  if (!(await goToAddress(name, line))) {
    clearFilters();
    draw();
    await goToAddress(name, line);
  }
  keepAddress(line ? [["file", name], ["line", String(line)]] : [["file", name]]);
}

function listen() {
  let waiting = 0;
  byId("query").addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(filtersChanged, 120);
  });
  byId("filters").addEventListener("change", (event) => {
    if (/** @type {Element} */ (event.target).id !== "query") filtersChanged();
  });
  byId("filters").addEventListener("submit", (event) => event.preventDefault());
  byId("clear").addEventListener("click", () => {
    clearFilters();
    filtersChanged();
    byId("query").focus();
  });
  byId("file-list").addEventListener("scroll", oncePerFrame(drawRowsInSight));
  window.addEventListener("resize", oncePerFrame(drawRowsInSight));
  byId("panel-open").addEventListener("click", () => {
    const open = byId("panel").classList.toggle("open");
    byId("panel-open").setAttribute("aria-expanded", String(open));
    drawRowsInSight();
  });
  listenToProgress(() => draw());
  window.addEventListener("hashchange", followAddress);
  window.addEventListener("beforeprint", () => {
    if (!state.printing) showAllAtHand();
  });
  window.addEventListener("afterprint", afterPrint);
  for (const button of allOf("[data-view]")) {
    button.addEventListener("click", () => {
      setView(/** @type {View} */ (button.dataset.view));
      redrawInPlace();
    });
  }
  byId("theme").addEventListener("click", switchTheme);
  byId("print").addEventListener("click", print);
  byId("help-open").addEventListener("click", () => dialogOf("help").showModal());
  document.addEventListener("click", (event) => {
    const target = /** @type {Element} */ (event.target);
    /** @type {HTMLElement | null} */
    const rule = target.closest("[data-rule]");
    if (rule?.dataset.rule) showManual(rule.dataset.rule);
    const piece = target.closest(".piece");
    if (piece) {
      const [, file, number] = piece.id.split("-").map(Number);
      setHere(state.index.files[file], number);
    }
  });
  // The same link again changes no address, and still is to be followed.
  document.addEventListener("click", (event) => {
    const link = /** @type {Element} */ (event.target).closest('a[href^="#file="]');
    if (link && link.getAttribute("href") === location.hash) followAddress();
  });
  listenToKeys({ switchView, switchEvidence, switchTheme, print });
}

async function start() {
  setTheme(remembered("theme"));
  const view = /** @type {View | null} */ (remembered("view"));
  setView(view ?? (window.innerWidth < 1000 ? "inline" : "side"));
  if (typeof DecompressionStream === "undefined") {
    byId("count").textContent = "This browser is too old for this page: it needs DecompressionStream.";
    return;
  }
  state.index = await readIndex();
  readMarks();
  countListed();
  onViewed(() => {
    applyFilters();
    drawFileList();
    drawProgress();
  });
  onMoved(showInFileList);
  listen();
  takeFilters(new URLSearchParams(location.hash.slice(1)));
  if (fieldOf("query").value) await readTexts(state.index.files);
  draw();
  document.documentElement.dataset.ready = "yes";
  await followAddress();
  if (state.shown.length) await bodyOf(state.shown[0].file);
  unpackAhead(state.index.files);
}

start();
