import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { code, markdownTable } from "./markdown.ts";

/** One promise to clients, as `test/e2e/requirements.ts` states it. */
interface Requirement {
  readonly id: string;
  /** The section of the specification, or a link to it. */
  readonly spec: string;
  readonly sentence: string;
}

const requirementsFile = "test/e2e/requirements.ts";
const nothingYet = "The list of requirements is still to be written.";

/** Each requirement with the test files that cite its id. */
export async function requirementsTable(root: string): Promise<string> {
  const path = join(root, requirementsFile);
  if (!existsSync(path)) return nothingYet;
  const module: unknown = await import(path);
  const requirements = parseRequirements(module);
  const tests = readTests(root);
  const rows = requirements.map(({ id, spec, sentence }) => {
    const citing = tests.filter(({ text }) => text.includes(`"${id}"`)).map(({ file }) => file);
    return [code(id), spec, sentence, citing.map(linkToTest).join("<br>")];
  });
  return markdownTable(["id", "specification", "what is promised", "tests"], rows);
}

/** @throws when the module has another shape: the table must not silently be empty */
function parseRequirements(module: unknown): Requirement[] {
  const list = isRecord(module) ? module.requirements : undefined;
  const entries = Array.isArray(list) ? list : isRecord(list) ? withIds(list) : [];
  if (entries.length === 0) throw new Error(`${requirementsFile} exports no \`requirements\`.`);
  return entries.map(parseRequirement);
}

function withIds(record: Readonly<Record<string, unknown>>): unknown[] {
  return Object.entries(record).map(([id, entry]) => (isRecord(entry) ? { id, ...entry } : entry));
}

function parseRequirement(entry: unknown): Requirement {
  if (isRecord(entry)) {
    const { id, spec, sentence } = entry;
    if (typeof id === "string" && typeof spec === "string" && typeof sentence === "string") {
      return { id, spec, sentence };
    }
  }
  const shown = JSON.stringify(entry);
  throw new Error(`${requirementsFile}: an entry must have id, spec and sentence: ${shown}`);
}

function readTests(root: string): { file: string; text: string }[] {
  const files = [...new Bun.Glob("test/**/*.test.ts").scanSync(root)];
  return files
    .map((file) => file.replaceAll("\\", "/"))
    .sort()
    .map((file) => ({ file, text: readFileSync(join(root, file), "utf8") }));
}

function linkToTest(file: string): string {
  return `[${file.replace(/^test\//, "")}](../${file})`;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
