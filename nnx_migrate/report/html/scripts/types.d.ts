// What the page gets from file_pages.py and page.py, for `tsc`; nothing of this is shipped.

/** A rule and an outcome. */
type Key = [rule: string, outcome: string];
/** A text, or a text with its looks; see display.py. */
type Line = string | [text: string, looks: string];
/** One line that both sides have, or the old and the new one with 0 for a line that is not there. */
type CodeRow = [Line | 0] | [Line | 0, Line | 0];
/** Where a cell of a notebook begins, with the lines in it and the line of the file. */
interface Head {
  cell: number;
  old: number;
  new: number;
  at: number;
}
type Row = CodeRow | Head;

interface PieceEntry {
  line: number;
  title?: string;
  rows: number;
  changed: number;
  findings: Key[];
  verdict: string;
  /** What pieces have in common that are reviewed as one. */
  alike: string;
}
interface FileEntry {
  number: number;
  name: string;
  status: string;
  digest: string;
  added: number;
  removed: number;
  pieces: PieceEntry[];
  alone: Key[];
  todo: [line: number, rule: string, message: string, place: string][];
  pack: number;
  place: number;
  owners: string[];
}
interface PieceCode {
  old: number;
  new: number;
  rows: Row[];
  above: Row[];
  below: Row[];
}
interface PieceBody extends PieceCode {
  function: string;
  own: number[];
  follows: number[];
  cases: number[];
}
type Proof = [claim: string, proof: string, where: string, file?: number, line?: number];
interface Told {
  rule: string;
  outcome: string;
  line: number;
  place: string;
  message: string;
  help: string[];
  evidence: Proof[];
}
interface Body {
  about: string;
  reason: string;
  findings: Told[];
  alone: number[];
  pieces: PieceBody[];
}
type ManualPart = string | [code: string];
type ManualBlock = ["h" | "code", string] | ["p" | "li", ManualPart[]];
interface Case {
  name: string;
  verdict: string;
  columns: [name: string, verdict: string, said: string][];
  scripts: string[];
}
interface Index {
  files: FileEntry[];
  rules: Record<string, ManualBlock[]>;
  cases: Case[];
  places: { blob: string; line: string; checkout: string | null };
}

/** A file that passes the filters, with what of it does. */
interface Item {
  file: FileEntry;
  pieces: number[];
  alone: boolean;
}
/** Pieces that are alike: how many, in which files, and the one that is shown for all. */
interface Group {
  count: number;
  files: Set<FileEntry>;
  first: FileEntry;
  piece: number;
}
interface Goal {
  file: FileEntry;
  piece: number | null;
}
interface Want {
  rule: Set<string>;
  outcome: Set<string>;
  verdict: Set<string>;
  owner: Set<string>;
  words: string[];
  unviewed: boolean;
}
/** A line of code with its numbers. */
interface NumberedRow {
  same: boolean;
  left: Line | 0;
  right: Line | 0;
  old: number;
  new: number;
  site: boolean;
  cell: number;
}
interface InlineRow {
  kind: string;
  old: number;
  new: number;
  line: Line | 0;
  site: boolean;
  cell: number;
}
type View = "side" | "inline";
type Child = Node | string | null;
type Properties = Record<string, string | number | boolean | null | undefined | ((event: any) => unknown)>;
