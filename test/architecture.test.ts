import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { basename, join, relative } from "node:path";

const root = join(import.meta.dir, "../src");

/**
 * Who may import whom. A name stands for values and types, `types:<name>` for `import type` only.
 * Imports point up this table; a file in the root of `src` is its own row.
 */
const layers: Readonly<Record<string, readonly string[]>> = {
  base: [],
  protocol: ["base"],
  auth: ["base", "protocol"],
  network: ["base"],
  store: ["base"],
  config: ["base"],
  process: ["base"],
  transport: ["base", "protocol"],
  background: ["base", "process", "types:store"],
  callbacks: ["base"],
  images: ["base"],
  skills: ["base", "config"],
  web: ["base", "network", "store"],
  plan: ["base"],
  upstream: ["base", "protocol", "network", "config", "process"],
  tools: ["base", "types:store", "images", "skills", "types:protocol", "web"],
  workers: ["base", "protocol", "tools"],
  questions: ["base", "protocol", "types:tools"],
  attach: ["base", "transport", "background", "types:questions", "types:tools"],
  terminal: ["base", "attach", "types:questions", "types:tools"],
  gateway: [
    "base",
    "protocol",
    "background",
    "skills",
    "types:web",
    "types:tools",
    "types:workers",
    "upstream",
  ],
  policy: ["base", "protocol", "config", "background", "types:tools", "gateway"],
  server: ["base", "protocol", "types:auth", "gateway", "transport"],
  cli: [
    "base",
    "protocol",
    "store",
    "config",
    "skills",
    "transport",
    "web",
    "types:gateway",
    "policy",
    "attach",
    "terminal",
    "upstream",
  ],
  program: [
    "base",
    "upstream",
    "attach",
    "questions",
    "images",
    "skills",
    "types:protocol",
    "auth",
    "store",
    "process",
    "transport",
    "background",
    "callbacks",
    "types:tools",
    "workers",
    "gateway",
    "server",
    "cli",
    "plan",
    "policy",
    "types:config",
    "web",
  ],
  "worker.ts": ["tools", "workers"],
  "web-worker.ts": ["web"],
  "store-worker.ts": ["store"],
  "upstream-worker.ts": ["upstream"],
  "main.ts": ["tools", "program"],
};

/** Files that may be longer than the rest, and why. */
const lengthMax = 250;
const longFiles: Readonly<Record<string, string>> = {
  "base/limits.ts": "one list of numbers, in which one is looked up",
  "base/upstream-limits.ts": "the same for other servers",
  "workers/pool.ts": "assignment, replay and loss of Workers share one state and read as one story",
};

interface Source {
  /** Path below `src`. */
  readonly path: string;
  readonly folder: string;
  readonly text: string;
  /** The same without comments. */
  readonly code: string;
}

const sources: readonly Source[] = readdirSync(root, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
  .map((entry) => relative(root, join(entry.parentPath, entry.name)))
  .sort()
  .map((path) => {
    const text = readFileSync(join(root, path), "utf8");
    const code = text.replaceAll(/\/\*[\s\S]*?\*\//g, "").replaceAll(/^\s*\/\/.*$/gm, "");
    return { path, folder: path.split("/")[0] ?? path, text, code };
  });

/** `folder` or `types:folder` of each import that leaves the file's own folder. */
function importsOf(source: Source): string[] {
  const statements = source.code.matchAll(
    /\b(import|export)\s+(type\s)?[^;"']*?from\s+["']([^"']+)["']|\bimport\s*\(\s*["']([^"']+)["']/g,
  );
  const found: string[] = [];
  for (const [, , type, from, dynamic] of statements) {
    const target = from ?? dynamic ?? "";
    if (!target.startsWith(".")) continue;
    const path = relative(root, join(root, source.path, "..", target));
    if (path.startsWith("..")) continue;
    const folder = path.split("/")[0] ?? path;
    if (folder !== source.folder) found.push(type === undefined ? folder : `types:${folder}`);
  }
  return found;
}

const isAllowed = (row: readonly string[], wanted: string): boolean =>
  row.includes(wanted) || row.includes(wanted.replace(/^types:/, ""));

/** `file: what` for each source whose code matches. */
const matching = (expression: RegExp, mayHave: (source: Source) => boolean): string[] =>
  sources
    .filter((source) => !mayHave(source))
    .flatMap((source) => {
      const match = expression.exec(source.code);
      return match === null ? [] : [`${source.path}: ${match[0].trim()}`];
    });

describe("layers", () => {
  test("every folder has a row, and every row a folder", () => {
    const folders = [...new Set(sources.map((source) => source.folder))].sort();
    expect(folders).toEqual(Object.keys(layers).sort());
  });

  test("files import only what the row of their folder allows (file -> folder)", () => {
    const offenders = sources.flatMap((source) =>
      importsOf(source)
        .filter((wanted) => !isAllowed(layers[source.folder] ?? [], wanted))
        .map((wanted) => `${source.path} -> ${wanted}`),
    );
    expect(offenders).toEqual([]);
  });

  test("no row allows more than is used: remove the entry, or write `types:`", () => {
    const used = new Set(
      sources.flatMap((source) =>
        importsOf(source).map((wanted) => `${source.folder} -> ${wanted}`),
      ),
    );
    const stale = Object.entries(layers).flatMap(([folder, row]) =>
      row.map((wanted) => `${folder} -> ${wanted}`).filter((entry) => !used.has(entry)),
    );
    expect(stale).toEqual([]);
  });
});

describe("style", () => {
  test("only the command line and the program read the environment or end the process", () => {
    const isOuter = ({ folder }: Source): boolean => ["cli", "program", "main.ts"].includes(folder);
    const expression = /\bprocess\s*\.\s*(env|exit|exitCode)\b|\bBun\.env\b|\bimport\.meta\.env\b/;
    expect(matching(expression, isOuter)).toEqual([]);
  });

  test("nobody prints with console: stdout belongs to transport/stdio.ts, stderr to warn()", () => {
    const isRouting = ({ path }: Source): boolean => path === "base/console.ts";
    expect(matching(/(?<![/.\w])console\s*\.\s*\w+/, isRouting)).toEqual([]);
  });

  test("only the transport and the command line write to stdout", () => {
    const mayWrite = ({ folder }: Source): boolean => ["transport", "cli"].includes(folder);
    expect(matching(/\bprocess\s*\.\s*stdout\b|\bBun\.stdout\b/, mayWrite)).toEqual([]);
  });

  test("exports have names", () => {
    expect(matching(/^export\s+default\b|\bas\s+default\b/m, () => false)).toEqual([]);
  });

  test("a file's name tells its content", () => {
    const vague = /^(utils?|helpers?|common|misc|shared|lib|types)\.ts$/;
    expect(sources.map(({ path }) => path).filter((path) => vague.test(basename(path)))).toEqual(
      [],
    );
  });

  test("file names are kebab-case", () => {
    const kebab = /^[a-z0-9]+(-[a-z0-9]+)*(\.macro|\.d)?\.ts$/;
    expect(sources.map(({ path }) => path).filter((path) => !kebab.test(basename(path)))).toEqual(
      [],
    );
  });

  test(`files have at most ${lengthMax} lines: split by concern, or list with a reason`, () => {
    const long = sources
      .filter(({ text }) => text.trimEnd().split("\n").length > lengthMax)
      .map(({ path }) => path);
    expect(long).toEqual(Object.keys(longFiles).sort());
  });

  describe.each(["base/limits.ts", "base/upstream-limits.ts"])("each bound of %s", (path) => {
    test("is used outside of it", () => {
      const limits = sources.find((source) => source.path === path);
      const names = [...(limits?.code ?? "").matchAll(/^export const (\w+)/gm)].map(
        ([, name]) => name,
      );
      const others = sources.filter((source) => source !== limits).map(({ code }) => code);
      const isUsed = (name: string): boolean =>
        others.some((code) => new RegExp(`\\b${name}\\b`).test(code));
      expect(names.length).toBeGreaterThan(10);
      expect(names.filter((name) => name !== undefined && !isUsed(name))).toEqual([]);
    });

    test("has a reason beside it", () => {
      const text = sources.find((source) => source.path === path)?.text ?? "";
      const bare = [...text.matchAll(/^(.*)\nexport const (\w+)/gm)]
        .filter(([, before]) => !before?.trim().endsWith("*/"))
        .map(([, , name]) => name);
      expect(bare).toEqual([]);
    });
  });
});
