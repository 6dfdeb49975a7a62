/**
 * Fills the generated blocks of the documentation from the code.
 *
 *     bun scripts/docs/generate.ts            writes what is stale
 *     bun scripts/docs/generate.ts --check    writes nothing; exits with 1 when something is stale
 */
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { clientStatesPage } from "./client-states.ts";
import { type GeneratedPage, generatedPages, renderPage } from "./pages.ts";

const root = dirname(dirname(import.meta.dir));
const usage = "Usage: bun scripts/docs/generate.ts [--check]";

process.exitCode = await run(process.argv.slice(2));

async function run(args: readonly string[]): Promise<number> {
  if (args.some((arg) => arg !== "--check")) {
    console.error(usage);
    return 2;
  }
  const isCheck = args.includes("--check");
  let stale = 0;
  const pages = [...(await generatedPages(root)), await clientStatesPage()];
  for (const page of pages) stale += bringUpToDate(page, isCheck);
  return isCheck && stale > 0 ? 1 : 0;
}

/** 1 when the page was stale. */
function bringUpToDate(page: GeneratedPage, isCheck: boolean): number {
  const path = join(root, page.file);
  const before = readFileSync(path, "utf8");
  const after = renderPage(page, before);
  if (after === before) return 0;
  if (isCheck) console.error(`docs: ${page.file} is stale. Run: bun scripts/docs/generate.ts`);
  else writeFileSync(path, after);
  return 1;
}
