// @ts-check
// What is shown of one file: its head, and for each hunk what was done, why, and the code.

import { element, plural } from "./dom.js";
import { groupOf, isFolded, open, openAlike } from "./folding.js";
import { isReviewed, isViewed, state } from "./state.js";
import { address, badge, card, followsFrom, verdictOf } from "./explained.js";
import { linksTo } from "./links.js";
import { numbered, ROWS_A_TABLE, rowsFor, table } from "./rows.js";

const ROW_HEIGHT = 20;
const FOLDED_HEIGHT = 40;

/**
 * What a file calls when the reader does something with it.
 *
 * @typedef {object} Actions
 * @property {(file: FileEntry, viewed: boolean) => void} viewed
 * @property {(file: FileEntry, piece: number, reviewed: boolean) => void} reviewed
 * @property {(file: FileEntry, piece: number) => void} redrawn
 * @property {(place: HTMLElement, height: number, build: () => HTMLElement) => void} later
 */

/**
 * @param {FileEntry} file
 * @param {number} piece
 */
function isLine(file, piece) {
  return isFolded(file, piece) || (isReviewed(file, piece) && !state.printing);
}

/**
 * What a file will take, as good as that can be known before it is there.
 *
 * @param {Item} item
 */
export function estimatedHeight(item) {
  const { file, pieces, alone } = item;
  if (isViewed(file)) return 48;
  const heights = pieces.map((number) => {
    if (isLine(file, number)) return FOLDED_HEIGHT;
    const piece = file.pieces[number];
    const rows = piece.rows + (state.view === "inline" ? piece.changed / 2 : 0);
    return 92 + 62 * piece.findings.length + ROW_HEIGHT * rows;
  });
  return 64 + heights.reduce((sum, height) => sum + height, 0) + (alone ? 62 : 0);
}

/**
 * Lines beside those of a hunk, made when they are asked for.
 *
 * @param {Row[]} lines
 * @param {number} oldLine
 * @param {number} newLine
 * @param {string} where
 * @param {View} view
 * @param {string} label
 */
function further(lines, oldLine, newLine, where, view, label) {
  const rows = numbered({ rows: lines, old: oldLine, new: newLine }, new Set());
  if (!rows.length) return null;
  /** @param {MouseEvent} event */
  const show = (event) => {
    const button = /** @type {HTMLElement} */ (event.currentTarget);
    const made = table(rowsFor(rows, view), view, `${label}, ${where}`);
    /** @type {HTMLElement} */ (button.closest(".piece")).focus({ preventScroll: true });
    button.replaceWith(made);
  };
  const text = `Show ${plural(rows.length, "more line")} ${where}`;
  const arrow = where === "above" ? "↑" : "↓";
  return element(
    "button",
    { class: "more", type: "button", onclick: show },
    element("span", { "aria-hidden": "true" }, arrow),
    ` ${text}`,
  );
}

/** @param {Row} row */
function isOfOld(row) {
  return Array.isArray(row) && (row.length === 1 || row[0] !== 0);
}

/** @param {Row} row */
function isOfNew(row) {
  return Array.isArray(row) && (row.length === 1 || row[1] !== 0);
}

/**
 * The code of a hunk, with what can be had around it.
 *
 * @param {PieceCode} piece
 * @param {Set<number>} sites
 * @param {string} label
 * @param {Actions["later"]} later
 */
function codeOfPiece(piece, sites, label, later) {
  const view = state.view === "side" && piece.new !== 0 ? "side" : "inline";
  const { above, below } = piece;
  const newAbove = piece.new && piece.new - above.length;
  const newBelow = piece.new && piece.new + piece.rows.filter(isOfNew).length;
  return [
    further(above, piece.old - above.length, newAbove, "above", view, label),
    ...codeTables(piece, sites, view, label, later),
    further(below, piece.old + piece.rows.filter(isOfOld).length, newBelow, "below", view, label),
  ];
}

/**
 * The lines of a hunk. Long ones are in parts, each made when `later` is told that it is in sight.
 *
 * @param {PieceCode} piece
 * @param {Set<number>} sites
 * @param {View} view
 * @param {string} label
 * @param {Actions["later"]} later
 */
function codeTables(piece, sites, view, label, later) {
  const rows = rowsFor(numbered(piece, sites), view);
  if (rows.length <= ROWS_A_TABLE || state.printing) return [table(rows, view, label)];
  const parts = [];
  for (let start = 0; start < rows.length; start += ROWS_A_TABLE) {
    const part = rows.slice(start, start + ROWS_A_TABLE);
    const place = element("div", { class: "part" });
    later(place, part.length * ROW_HEIGHT, () => table(part, view, `${label}, part`));
    parts.push(place);
  }
  return parts;
}

/**
 * What else is like a piece that is shown for all of them.
 *
 * @param {FileEntry} file
 * @param {number} number
 * @param {Actions} actions
 */
function alikeOf(file, number, actions) {
  const group = groupOf(file, number);
  if (!group || group.count === 1) return null;
  const { alike } = file.pieces[number];
  const isFirst = group.first === file && group.piece === number;
  if (!isFirst) return null;
  const all = state.opened.has(alike);
  const others = plural(group.count - 1, "other hunk");
  const toggle = () => {
    openAlike(alike, !all);
    actions.redrawn(file, number);
  };
  return element(
    "p",
    { class: "card alike" },
    element("b", {}, `${others} in ${plural(group.files.size, "file")}`),
    group.count === 2 ? " has" : " have",
    " the same change for the same reason. Reviewing this one marks all of them. ",
    state.printing
      ? null
      : element("button", { type: "button", onclick: toggle }, all ? "Fold them" : "Show them"),
  );
}

/**
 * @param {FileEntry} file
 * @param {number} number
 * @param {Actions} actions
 */
function reviewedBox(file, number, actions) {
  const box = element("input", {
    type: "checkbox",
    class: "reviewed",
    checked: isReviewed(file, number),
    onchange: (event) => actions.reviewed(file, number, event.target.checked),
  });
  return element("label", { class: "choice" }, box, element("span", {}, "Reviewed"));
}

/**
 * @param {FileEntry} file
 * @param {number} number
 */
function titleOf(file, number) {
  const piece = file.pieces[number];
  return piece.title ?? `Line ${piece.line}`;
}

/**
 * A piece as one line: reviewed already, or like one that is shown.
 *
 * @param {FileEntry} file
 * @param {number} number
 * @param {HTMLElement} heading
 * @param {Actions} actions
 */
function folded(file, number, heading, actions) {
  const group = groupOf(file, number);
  const why = [];
  if (group && isFolded(file, number)) {
    const first = element(
      "a",
      { href: address(group.first, group.first.pieces[group.piece].line) },
      `${group.first.name}, ${titleOf(group.first, group.piece).toLowerCase()}`,
    );
    why.push("Same change and reason as ", first, " ");
    const show = () => {
      open(file, number);
      actions.redrawn(file, number);
    };
    if (!isReviewed(file, number)) {
      const label = `Show ${titleOf(file, number).toLowerCase()} of ${file.name}`;
      why.push(element("button", { type: "button", onclick: show, "aria-label": label }, "Show"));
    }
  }
  return [element("div", { class: "piece-head" }, heading, element("span", { class: "why" }, ...why), reviewedBox(file, number, actions))];
}

/**
 * @param {Item} item
 * @param {Body} body
 * @param {number} number
 * @param {Actions} actions
 */
function pieceOf(item, body, number, actions) {
  const { file } = item;
  const piece = file.pieces[number];
  const { own, follows, cases, function: name, ...code } = body.pieces[number];
  const sites = new Set(own.map((place) => body.findings[place].line));
  const title = titleOf(file, number);
  const id = `piece-${file.number}-${number}`;
  const line = isLine(file, number);
  const heading = element(
    "h3",
    { id: `${id}-title` },
    element("a", { href: address(file, piece.line), title: "Link to this place" }, title),
    name ? element("span", { class: "function" }, ` in ${name}`) : null,
    code.new ? null : element("span", { class: "function" }, " · nothing changed here"),
  );
  const kind = `piece${code.new ? "" : " excerpt"}${line ? " folded" : ""}`;
  return element(
    "article",
    { class: kind, id, tabindex: "-1", "aria-labelledby": `${id}-title` },
    ...(line
      ? folded(file, number, heading, actions)
      : [
          element(
            "div",
            { class: "piece-head" },
            heading,
            ...linksTo(file, piece.line),
            reviewedBox(file, number, actions),
          ),
          ...own.map((place) => card(body.findings[place], piece.line)),
          followsFrom(file, body, follows),
          verdictOf(piece, cases),
          alikeOf(file, number, actions),
          ...codeOfPiece(code, sites, `${file.name}, ${title}`, actions.later),
        ]),
  );
}

/** @param {FileEntry} file */
function nameOf(file) {
  const cut = file.name.lastIndexOf("/") + 1;
  return element(
    "a",
    { href: address(file), title: "Link to this file" },
    element("span", { class: "folder" }, file.name.slice(0, cut)),
    file.name.slice(cut),
  );
}

/**
 * @param {FileEntry} file
 * @param {Body} body
 * @param {Actions} actions
 */
function headOf(file, body, actions) {
  const viewed = element("input", {
    type: "checkbox",
    class: "viewed",
    checked: isViewed(file),
    onchange: (event) => actions.viewed(file, event.target.checked),
  });
  const changes = file.added + file.removed > 0;
  return element(
    "header",
    { class: "file-head" },
    element("h2", { id: `name-${file.number}`, tabindex: "-1" }, nameOf(file)),
    file.status === "changed" || file.status === "unchanged" ? null : badge(file.status),
    changes ? element("span", { class: "added" }, `+${file.added}`) : null,
    changes ? element("span", { class: "removed" }, `−${file.removed}`) : null,
    ...file.owners.map((owner) => element("span", { class: "owner" }, owner)),
    body.about ? element("span", { class: "about" }, body.about) : null,
    element("label", {}, viewed, "Viewed"),
  );
}

/**
 * Fills the section of a file.
 *
 * @param {HTMLElement} section
 * @param {Item} item
 * @param {Body} body
 * @param {Actions} actions
 */
export function fill(section, item, body, actions) {
  const { file, pieces, alone } = item;
  /** @type {HTMLElement[]} */
  const content = [headOf(file, body, actions)];
  if (!isViewed(file) || state.printing) {
    const told = body.findings.some((finding) => finding.message === body.reason);
    if (body.reason && !told) content.push(element("p", { class: "reason" }, body.reason));
    if (alone) content.push(...body.alone.map((number) => card(body.findings[number])));
    content.push(...pieces.map((number) => pieceOf(item, body, number, actions)));
  }
  section.replaceChildren(...content);
}
