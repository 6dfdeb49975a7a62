import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { code, markdownTable, prose } from "./markdown.ts";

const requirementsFile = "test/e2e/requirements.ts";
const nothingYet = "The list of requirements is still to be written.";

/** Each requirement (id → sentence) with the test files that cite it. */
export async function requirementsTable(root: string): Promise<string> {
  const path = join(root, requirementsFile);
  if (!existsSync(path)) return nothingYet;
  const requirements = parseRequirements(await import(path));
  const tests = readTests(root);
  const rows = requirements.map(([id, sentence]) => {
    const citing = tests.filter(({ text }) => isCitedIn(text, id)).map(({ name }) => name);
    return [code(id), prose(sentence), citing.map(linkToTest).join("<br>")];
  });
  return markdownTable(["id", "what is promised", "tests"], rows);
}

/** @throws when the module has another shape: the table must not silently be empty */
function parseRequirements(module: unknown): [id: string, sentence: string][] {
  const requirements = isRecord(module) ? module.requirements : undefined;
  if (!isRecord(requirements)) throw new Error(`${requirementsFile} exports no \`requirements\`.`);
  return Object.entries(requirements).map(([id, sentence]) => {
    if (typeof sentence === "string") return [id, sentence];
    throw new Error(`${requirementsFile}: ${id} must be a sentence.`);
  });
}

function readTests(root: string): { name: string; text: string }[] {
  const folder = join(root, "test/e2e");
  const names = [...new Bun.Glob("*.test.ts").scanSync(folder)].sort();
  return names.map((name) => ({ name, text: readFileSync(join(folder, name), "utf8") }));
}

/** A test's name that begins with `[id]`, or a row of a table of tests: as `coverage.test.ts` reads them. */
function isCitedIn(text: string, id: string): boolean {
  return text.includes(`"[${id}]`) || text.includes(`["${id}",`);
}

function linkToTest(name: string): string {
  return `[${name}](../test/e2e/${name})`;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
