// The start: everything is put together here.

import { byId, oncePerFrame } from "./dom.js";
import { bodyOf, readIndex, unpackAhead } from "./data.js";
import { remember, remembered, state } from "./state.js";
import {
  applyFilters,
  clearFilters,
  countListed,
  filtersAsParameters,
  takeFilters,
} from "./filters.js";
import { layOut, onViewed, showAll, showAllAtHand } from "./sight.js";
import { goTo, goToAddress, onMoved, placeHere, setHere } from "./travel.js";
import { drawFileList, drawTodo, showInFileList } from "./lists.js";
import { listenToKeys } from "./keys.js";

function draw() {
  applyFilters();
  layOut();
  drawFileList();
  drawTodo();
}

function keepAddress(extra = []) {
  const parameters = filtersAsParameters();
  for (const [name, value] of extra) parameters.set(name, value);
  const hash = parameters.toString();
  history.replaceState(null, "", hash ? `#${hash}` : location.pathname + location.search);
}

function filtersChanged() {
  draw();
  keepAddress();
}

async function redrawInPlace() {
  const place = window.scrollY > byId("files").offsetTop - 100 ? placeHere() : null;
  layOut(place?.file);
  if (place) await goTo(place);
}

function setView(view) {
  state.view = view;
  remember("view", view);
  for (const button of document.querySelectorAll("[data-view]")) {
    button.setAttribute("aria-pressed", String(button.dataset.view === view));
  }
}

function switchView() {
  setView(state.view === "side" ? "inline" : "side");
  return redrawInPlace();
}

function switchEvidence() {
  state.evidence = !state.evidence;
  for (const details of document.querySelectorAll("details.evidence")) details.open = state.evidence;
}

function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

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

function showRule(rule) {
  byId("rule-title").textContent = rule;
  byId("rule-text").textContent = state.index.rules[rule];
  byId("rule").showModal();
}

async function followAddress() {
  const parameters = new URLSearchParams(location.hash.slice(1));
  const name = parameters.get("file");
  const line = Number(parameters.get("line") ?? 0);
  const filters = filtersAsParameters().toString();
  // An address that names no filters, on this page, leaves them as they are.
  const named = [...parameters.keys()].some((key) => key !== "file" && key !== "line");
  if (named) takeFilters(parameters);
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
  keepAddress([["file", name], ...(line ? [["line", String(line)]] : [])]);
}

function listen() {
  let waiting;
  byId("query").addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(filtersChanged, 120);
  });
  byId("filters").addEventListener("change", (event) => {
    if (event.target.id !== "query") filtersChanged();
  });
  byId("filters").addEventListener("submit", (event) => event.preventDefault());
  byId("clear").addEventListener("click", () => {
    clearFilters();
    filtersChanged();
    byId("query").focus();
  });
  byId("file-list").addEventListener("scroll", oncePerFrame(drawFileList));
  window.addEventListener("resize", oncePerFrame(drawFileList));
  window.addEventListener("hashchange", followAddress);
  window.addEventListener("beforeprint", () => {
    if (!state.printing) showAllAtHand();
  });
  window.addEventListener("afterprint", afterPrint);
  for (const button of document.querySelectorAll("[data-view]")) {
    button.addEventListener("click", () => {
      setView(button.dataset.view);
      redrawInPlace();
    });
  }
  byId("theme").addEventListener("click", switchTheme);
  byId("print").addEventListener("click", print);
  byId("help-open").addEventListener("click", () => byId("help").showModal());
  document.addEventListener("click", (event) => {
    const rule = event.target.closest("[data-rule]");
    if (rule) showRule(rule.dataset.rule);
    const piece = event.target.closest(".piece");
    if (piece) {
      const [, file, number] = piece.id.split("-").map(Number);
      setHere(state.index.files[file], number);
    }
  });
  // The same link again changes no address, and still is to be followed.
  document.addEventListener("click", (event) => {
    const link = event.target.closest('a[href^="#file="]');
    if (link && link.getAttribute("href") === location.hash) followAddress();
  });
  listenToKeys({ switchView, switchEvidence, switchTheme, print });
}

async function start() {
  setTheme(remembered("theme"));
  setView(remembered("view") ?? (window.innerWidth < 1000 ? "inline" : "side"));
  if (typeof DecompressionStream === "undefined") {
    byId("count").textContent = "This browser is too old for this page: it needs DecompressionStream.";
    return;
  }
  state.index = await readIndex();
  countListed();
  onViewed(() => {
    applyFilters();
    drawFileList();
  });
  onMoved(showInFileList);
  listen();
  takeFilters(new URLSearchParams(location.hash.slice(1)));
  draw();
  document.documentElement.dataset.ready = "yes";
  await followAddress();
  if (state.shown.length) await bodyOf(state.shown[0].file);
  unpackAhead(state.index.files);
}

start();
