import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { code, pageTable, prose } from "./markdown.ts";

const requirementsFile = "test/e2e/requirements.ts";
const nothingYet = "The list of requirements is still to be written.";

interface Requirement {
  readonly id: string;
  /** Where it is stated. */
  readonly spec: string;
  readonly says: string;
}

/** Each requirement with where it is stated and the test files that cite it. */
export async function requirementsTable(root: string): Promise<string> {
  const path = join(root, requirementsFile);
  if (!existsSync(path)) return nothingYet;
  const requirements = parseRequirements(await import(path));
  const tests = readTests(root);
  const rows = requirements.map(({ id, spec, says }) => {
    const citing = tests.filter(({ text }) => isCitedIn(text, id)).map(({ name }) => name);
    return [code(id), prose(says), linkToSpec(spec), citing.map(linkToTest).join("<br>")];
  });
  return pageTable(["id", "what is promised", "stated in", "tests"], rows);
}

/** @throws when the module has another shape: the table must not silently be empty */
function parseRequirements(module: unknown): Requirement[] {
  const requirements = isRecord(module) ? module.requirements : undefined;
  if (!isRecord(requirements)) throw new Error(`${requirementsFile} exports no \`requirements\`.`);
  return Object.entries(requirements).map(([id, requirement]) => {
    const { spec, says } = isRecord(requirement) ? requirement : {};
    if (typeof spec === "string" && typeof says === "string") return { id, spec, says };
    throw new Error(`${requirementsFile}: ${id} must have \`spec\` and \`says\`.`);
  });
}

function readTests(root: string): { name: string; text: string }[] {
  const folder = join(root, "test/e2e");
  const names = [...new Bun.Glob("*.test.ts").scanSync(folder)].sort();
  return names
    .filter((name) => name !== "coverage.test.ts")
    .map((name) => ({ name, text: readFileSync(join(folder, name), "utf8") }));
}

/** A test's name that begins with `[id]`, or with several, or a row of a table of tests: as `coverage.test.ts` reads them. */
function isCitedIn(text: string, id: string): boolean {
  return [`"[${id}]`, `] [${id}]`, `["${id}",`].some((form) => text.includes(form));
}

/** `docs/…` is ours, `RFC …` a standard, everything else a page of MCP: of a revision, an extension or a SEP. */
function linkToSpec(spec: string): string {
  if (spec.startsWith("docs/")) {
    const target = spec.slice("docs/".length);
    return `[${target.replace(/#.*/, "")}](${target})`;
  }
  const rfc = /^RFC (\d+)$/.exec(spec);
  if (rfc !== null) return `[${spec}](https://www.rfc-editor.org/rfc/rfc${rfc[1]})`;
  const folder = /^\d/.test(spec) ? "specification/" : "";
  return `[${spec}](https://modelcontextprotocol.io/${folder}${spec})`;
}

function linkToTest(name: string): string {
  return `[${name}](../test/e2e/${name})`;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
