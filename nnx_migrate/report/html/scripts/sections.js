// What is shown of one file: its head, and for each hunk what was done, why, and the code.

import { element, plural } from "./dom.js";
import { isViewed, state } from "./state.js";
import { address, badge, card, followsFrom, verdictOf } from "./explained.js";
import { inlineOrder, numbered, ROWS_A_TABLE, table } from "./rows.js";

const ROW_HEIGHT = 20;
// What a file will take, as good as that can be known before it is there.
export function estimatedHeight(item) {
  const { file, pieces, alone } = item;
  if (isViewed(file)) return 48;
  const heights = pieces.map((number) => {
    const piece = file.pieces[number];
    const rows = piece.rows + (state.view === "inline" ? piece.changed / 2 : 0);
    return 92 + 62 * piece.findings.length + ROW_HEIGHT * rows;
  });
  return 64 + heights.reduce((sum, height) => sum + height, 0) + (alone ? 62 : 0);
}

// Lines beside those of a hunk, made when they are asked for.
function further(lines, oldLine, newLine, where, view, label) {
  if (!lines.length) return null;
  const show = (event) => {
    const rows = numbered({ rows: lines, old: oldLine, new: newLine }, new Set());
    const made = table(view === "side" ? rows : inlineOrder(rows), view, `${label}, ${where}`);
    event.currentTarget.closest(".piece").focus({ preventScroll: true });
    event.currentTarget.replaceWith(made);
  };
  const text = `${plural(lines.length, "more line")} ${where}`;
  return element("button", { class: "more", type: "button", onclick: show }, text);
}

// The code of a hunk, with what can be had around it.
function codeOfPiece(piece, sites, label, later) {
  const view = state.view === "side" && piece.new !== 0 ? "side" : "inline";
  const { above, below } = piece;
  const gone = piece.rows.filter((row) => row.length === 1 || row[0] !== 0).length;
  const come = piece.rows.filter((row) => row.length === 1 || row[1] !== 0).length;
  const newAbove = piece.new && piece.new - above.length;
  const newBelow = piece.new && piece.new + come;
  return [
    further(above, piece.old - above.length, newAbove, "above", view, label),
    ...codeTables(piece, sites, view, label, later),
    further(below, piece.old + gone, newBelow, "below", view, label),
  ];
}

// The lines of a hunk. Long ones are in parts, each made when `later` is told that it is in sight.
function codeTables(piece, sites, view, label, later) {
  const all = numbered(piece, sites);
  const rows = view === "side" ? all : inlineOrder(all);
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

function pieceOf(item, body, number, later) {
  const { file } = item;
  const piece = file.pieces[number];
  const { own, follows, cases, function: name, ...code } = body.pieces[number];
  const sites = new Set(own.map((place) => body.findings[place].line));
  const title = `Line ${piece.line}`;
  const id = `piece-${file.number}-${number}`;
  return element(
    "article",
    { class: code.new ? "piece" : "piece excerpt", id, tabindex: "-1", "aria-labelledby": `${id}-title` },
    element(
      "h3",
      { id: `${id}-title` },
      element("a", { href: address(file, piece.line), title: "Link to this place" }, title),
      name ? element("span", { class: "function" }, ` in ${name}`) : null,
      code.new ? null : element("span", { class: "function" }, " · nothing changed here"),
    ),
    ...own.map((place) => card(body.findings[place])),
    followsFrom(file, body, follows),
    verdictOf(piece, cases),
    ...codeOfPiece(code, sites, `${file.name}, ${title}`, later),
  );
}

function nameOf(file) {
  const cut = file.name.lastIndexOf("/") + 1;
  return element(
    "a",
    { href: address(file), title: "Link to this file" },
    element("span", { class: "folder" }, file.name.slice(0, cut)),
    file.name.slice(cut),
  );
}

// Returns the head of a file; `toggled` is called when it is marked as viewed, or not any more.
function headOf(file, body, toggled) {
  const viewed = element("input", {
    type: "checkbox",
    class: "viewed",
    checked: isViewed(file),
    onchange: (event) => toggled(file, event.target.checked),
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

// Fills the section of a file.
export function fill(section, item, body, toggled, later) {
  const { file, pieces, alone } = item;
  const content = [headOf(file, body, toggled)];
  if (!isViewed(file) || state.printing) {
    const told = body.findings.some((finding) => finding.message === body.reason);
    if (body.reason && !told) content.push(element("p", { class: "reason" }, body.reason));
    if (alone) content.push(...body.alone.map((number) => card(body.findings[number])));
    content.push(...pieces.map((number) => pieceOf(item, body, number, later)));
  }
  section.replaceChildren(...content);
}
