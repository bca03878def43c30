// Makes the page that `scree view` fills, as C: node build.mjs OUTPUT.c
// One file: markup, style, program, worker, and the licences of the libraries in it.
import { build } from "esbuild";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const output = process.argv[2];
if (!output) throw new Error("usage: node build.mjs OUTPUT.c");

const common = {
  absWorkingDir: here,
  bundle: true,
  minify: true,
  write: false,
  format: "iife",
  target: ["chrome110", "firefox115", "safari16.4"],
  legalComments: "none", // the licences stand in the page as a whole
  logLevel: "warning",
};

async function bundle(entry, define = {}) {
  const { outputFiles } = await build({ ...common, entryPoints: [entry], define });
  return outputFiles[0].text;
}

async function licenses() {
  const texts = ["three", "uplot"].map(async (name) => {
    const folder = join(here, "node_modules", name);
    const { version } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
    return `${name} ${version}\n\n${(await readFile(join(folder, "LICENSE"), "utf8")).trim()}`;
  });
  return (await Promise.all(texts)).join("\n\n\n");
}

// A text inside a <script> may hold neither of these, or the browser ends the script there.
function checkInline(text) {
  const bad = /<\/script|<!--/i.exec(text);
  if (bad) throw new Error(`the program holds ${bad[0]} at ${bad.index}`);
  return text;
}

const legal = await licenses();
const worker = await bundle("src/record/worker.ts");
const program = checkInline(
  await bundle("src/main.ts", { SCREE_WORKER: JSON.stringify(worker) }),
);
const style = (await bundle("src/style.css")) + (await bundle("node_modules/uplot/dist/uPlot.min.css"));
const page = (await readFile(join(here, "src/page.html"), "utf8"))
  .replace("/*STYLE*/", () => style.trim())
  .replace("<!--LICENSES-->", () => legal.replace(/[&<]/g, (c) => (c === "<" ? "&lt;" : "&amp;")))
  .replace("/*PROGRAM*/", () => program.trim());

// As C: three arrays, cut at the places where the recording goes.
const parts = page.split(/<!--SCREE-(?:HEAD|FRAMES)-->\n?/);
if (parts.length !== 3) throw new Error("the page must have the markers SCREE-HEAD and SCREE-FRAMES once each");
const arrays = parts.map((part, i) => {
  const bytes = [...Buffer.from(part, "utf8")];
  return `static const unsigned char part_${i}[${bytes.length}] = {${bytes.join(",")}};\n`;
});
const names = ["BEFORE_HEAD", "BEFORE_FRAMES", "AFTER"];
const table = names.map((name, i) => `    [SCREE_PAGE_${name}] = {part_${i}, sizeof part_${i}},\n`);
await mkdir(dirname(output), { recursive: true });
await writeFile(
  `${output}.tmp`,
  `/* Made from web/ by web/build.mjs. */\n#include "page.h"\n\n${arrays.join("")}\n` +
    `const scree_page_part scree_page[SCREE_PAGE_PARTS] = {\n${table.join("")}};\n`,
);
await rename(`${output}.tmp`, output);
