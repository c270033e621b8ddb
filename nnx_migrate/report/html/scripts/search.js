// @ts-check
// What is written in the hunks: code on both sides, messages and names of functions.

import { eachBody } from "./data.js";

/** @type {Map<FileEntry, {pieces: string[], alone: string}> | null} */
let hunkTexts = null;
/** @type {Promise<void> | null} */
let reading = null;

/** @param {Line | 0} line */
function textOf(line) {
  if (line === 0) return "";
  return typeof line === "string" ? line : line[0];
}

/** @param {Told} finding */
function told(finding) {
  return [finding.rule, finding.outcome, finding.message, ...finding.evidence.map(([claim]) => claim)];
}

/**
 * @param {PieceBody} piece
 * @param {Body} body
 */
function textOfPiece(piece, body) {
  const code = piece.rows.flatMap((row) => (Array.isArray(row) ? row.map(textOf) : []));
  const words = piece.own.flatMap((number) => told(body.findings[number]));
  return [piece.function, ...words, ...code].join("\n").toLowerCase();
}

/**
 * Reads all hunks, once; true when something has come that was not there before.
 *
 * @param {FileEntry[]} files
 */
export async function readTexts(files) {
  if (hunkTexts) return false;
  /** @type {Map<FileEntry, {pieces: string[], alone: string}>} */
  const found = new Map();
  reading ??= eachBody(files, (file, body) => {
    found.set(file, {
      pieces: body.pieces.map((piece) => textOfPiece(piece, body)),
      alone: body.alone.flatMap((number) => told(body.findings[number])).join("\n").toLowerCase(),
    });
  }).then(() => {
    hunkTexts = found;
  });
  await reading;
  return true;
}

/**
 * Whether all words are in a name, or in it and the hunk together; in names alone as long as the
 * hunks have not been read.
 *
 * @param {FileEntry} file
 * @param {number | null} piece null for what is told of the file as a whole.
 * @param {string[]} words
 */
export function hasWords(file, piece, words) {
  const name = file.name.toLowerCase();
  const its = hunkTexts?.get(file);
  const text = (piece === null ? its?.alone : its?.pieces[piece]) ?? "";
  return words.every((word) => name.includes(word) || text.includes(word));
}
