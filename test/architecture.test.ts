import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { basename, join, relative } from "node:path";

const root = join(import.meta.dir, "../src");

/**
 * Who may import whom. A row is a folder of `src`, a folder in one that is split (`name/*` are the files that lie in a split
 * folder itself), or a file in the root. It names what it may import, always from rows above it, so that there is no cycle; a
 * whole folder stands for all that is in it. `types:<name>` is for `import type` only.
 */
const layers: Readonly<Record<string, readonly string[]>> = {
  base: [],
  protocol: ["base"],
  config: ["base"],
  network: ["base"],
  "state/callbacks": ["base"],
  "state/plan": ["base"],
  "state/skills": ["base", "config"],
  "state/store": ["base"],
  "state/tokens": ["base", "config", "state/store"],
  "commands/process": ["base"],
  "commands/background": ["base", "commands/process", "types:state"],
  "commands/sandbox": ["base", "types:commands/background"],
  "web/dom": ["base"],
  "web/extract": ["base", "web/dom"],
  "web/guard": ["base", "network"],
  "web/markdown": ["web/dom", "types:web/extract"],
  "web/pages": ["base", "web/dom", "types:web/guard"],
  "web/browser": ["base", "types:web/guard", "types:web/pages"],
  "web/paging": [],
  "web/documents": ["base", "web/dom", "web/markdown", "types:web/pages", "types:web/paging"],
  "web/reading": [
    "base",
    "web/dom",
    "web/extract",
    "web/markdown",
    "types:web/pages",
    "web/paging",
    "web/documents",
  ],
  "web/search": ["base", "state", "web/dom", "types:web/guard", "web/pages"],
  "web/*": ["base", "web/guard", "web/pages", "web/browser", "web/search"],
  "web/worker": ["base", "types:web/pages", "types:web/search", "types:web/*"],
  "tools/images": ["base"],
  "tools/*": ["base", "types:protocol", "state", "tools/images", "web"],
  "tools/workers": ["base", "protocol", "tools/*"],
  "upstream/adapters": ["base", "types:protocol"],
  "upstream/names": ["base"],
  "upstream/process": ["base", "commands"],
  "upstream/connect": ["base", "network", "protocol", "types:upstream/process"],
  "upstream/schema": ["base", "types:protocol"],
  "upstream/secrets": ["base", "commands", "config"],
  "upstream/config": ["base", "config", "upstream/names", "upstream/secrets"],
  "upstream/*": ["base", "types:protocol", "types:upstream/connect", "types:upstream/config"],
  "upstream/cache": [
    "base",
    "commands",
    "config",
    "types:protocol",
    "types:upstream/connect",
    "upstream/config",
    "types:upstream/*",
  ],
  "upstream/edit": ["base", "config", "upstream/config"],
  "upstream/import": ["base", "config", "upstream/config", "types:upstream/edit"],
  "upstream/install": [
    "base",
    "commands",
    "config",
    "types:upstream/process",
    "upstream/connect",
    "types:upstream/config",
    "types:upstream/*",
    "upstream/cache",
  ],
  "upstream/oauth": [
    "base",
    "config",
    "network",
    "types:protocol",
    "upstream/adapters",
    "upstream/connect",
    "types:upstream/secrets",
    "upstream/config",
  ],
  "upstream/user-logins": [
    "base",
    "config",
    "state",
    "types:network",
    "types:protocol",
    "upstream/secrets",
    "upstream/config",
    "upstream/connect",
    "upstream/*",
    "upstream/oauth",
  ],
  "upstream/results": [
    "base",
    "protocol",
    "upstream/adapters",
    "types:upstream/connect",
    "types:upstream/*",
  ],
  "upstream/search": ["base", "types:protocol", "upstream/names", "types:upstream/*"],
  "upstream/trust": [
    "base",
    "config",
    "types:protocol",
    "upstream/names",
    "upstream/connect",
    "upstream/config",
    "types:upstream/*",
    "upstream/install",
  ],
  "upstream/catalogue": [
    "base",
    "types:protocol",
    "upstream/adapters",
    "upstream/names",
    "upstream/connect",
    "types:upstream/config",
    "types:upstream/*",
    "upstream/results",
    "upstream/search",
    "upstream/trust",
  ],
  "upstream/worker": [
    "base",
    "types:commands",
    "types:config",
    "types:protocol",
    "types:state",
    "upstream/process",
    "types:upstream/config",
    "upstream/*",
    "types:upstream/cache",
  ],
  "upstream/status": [
    "base",
    "commands",
    "upstream/names",
    "types:upstream/config",
    "types:upstream/connect",
    "upstream/*",
    "upstream/cache",
    "upstream/trust",
    "types:upstream/worker",
  ],
  "upstream/manager": [
    "base",
    "types:config",
    "protocol",
    "upstream/adapters",
    "upstream/process",
    "upstream/connect",
    "upstream/schema",
    "upstream/secrets",
    "upstream/config",
    "upstream/*",
    "upstream/cache",
    "upstream/install",
    "upstream/oauth",
    "upstream/user-logins",
    "upstream/results",
    "upstream/search",
    "upstream/trust",
    "upstream/catalogue",
    "types:upstream/worker",
    "upstream/status",
  ],
  install: ["base", "config", "upstream"],
  update: ["base"],
  "calls/policy/shell": ["base"],
  "calls/policy/rules": ["base", "calls/policy/shell", "config"],
  "calls/*": ["base", "protocol", "types:tools", "types:upstream"],
  "calls/gate": ["base", "protocol", "calls/*"],
  "calls/policy/consent": [
    "base",
    "calls/policy/rules",
    "types:tools",
    "calls/*",
    "types:calls/gate",
  ],
  "calls/router": ["base", "commands", "protocol", "types:tools", "types:web", "calls/*"],
  "calls/resources": [
    "base",
    "commands",
    "protocol",
    "state",
    "types:tools",
    "calls/*",
    "calls/router",
  ],
  "calls/skills": [
    "base",
    "protocol",
    "state",
    "types:tools",
    "calls/*",
    "types:calls/gate",
    "calls/resources",
  ],
  "calls/upstream": [
    "base",
    "types:commands",
    "protocol",
    "state",
    "types:tools",
    "upstream",
    "calls/*",
    "calls/gate",
  ],
  "calls/policy/*": [
    "base",
    "calls/policy/rules",
    "upstream",
    "calls/*",
    "types:calls/gate",
    "calls/policy/consent",
  ],
  "calls/policy/audit": [
    "base",
    "calls/policy/rules",
    "calls/*",
    "types:calls/gate",
    "types:calls/policy/*",
  ],
  "calls/policy/hooks": [
    "base",
    "commands",
    "config",
    "calls/policy/rules",
    "protocol",
    "calls/*",
    "types:calls/gate",
    "calls/policy/audit",
  ],
  observe: ["base", "types:calls", "protocol"],
  "server/auth": ["base", "protocol", "state"],
  "server/transport": ["base", "protocol"],
  "server/connection": ["base", "calls", "protocol", "types:server/auth", "types:server/transport"],
  "server/tasks": ["base", "calls", "protocol"],
  "server/subscriptions": [
    "base",
    "types:calls",
    "protocol",
    "server/connection",
    "types:server/tasks",
  ],
  "server/context": [
    "base",
    "types:calls",
    "protocol",
    "server/connection",
    "types:server/tasks",
    "server/subscriptions",
  ],
  "server/ask": ["base", "calls", "protocol", "types:server/connection", "types:server/context"],
  "server/handlers": [
    "base",
    "calls",
    "protocol",
    "server/connection",
    "server/tasks",
    "server/subscriptions",
    "server/context",
    "server/ask",
  ],
  "server/*": [
    "base",
    "calls",
    "protocol",
    "types:server/transport",
    "server/connection",
    "server/context",
    "server/handlers",
  ],
  "server/http": [
    "base",
    "types:calls",
    "protocol",
    "types:server/auth",
    "server/transport",
    "server/connection",
    "server/context",
    "server/*",
  ],
  "fleet/engine": ["base"],
  "fleet/replicas": ["base", "fleet/engine"],
  "fleet/places": ["base", "calls", "protocol", "server", "fleet/engine", "fleet/replicas"],
  "fleet/*": ["base", "fleet/engine", "fleet/replicas"],
  "fleet/changes": ["base", "types:calls", "fleet/engine", "types:fleet/replicas"],
  "fleet/sessions": [
    "base",
    "types:calls",
    "protocol",
    "server",
    "fleet/engine",
    "fleet/replicas",
    "types:fleet/*",
    "types:fleet/changes",
  ],
  "interact/questions": ["base", "types:protocol", "types:tools"],
  "interact/attach": ["base", "commands", "server", "types:tools", "types:interact/questions"],
  "interact/terminal": ["base", "types:tools", "types:interact/questions", "interact/attach"],
  "hub/link": ["base", "commands", "interact", "upstream"],
  "hub/kept": ["base", "calls", "commands", "config", "types:tools", "types:hub/link"],
  "hub/watch": ["base", "hub/link"],
  "hub/*": ["base", "commands", "upstream", "types:hub/link", "types:hub/watch"],
  // The rooms of upstream by name: `upstream/manager` runs in the Worker, and no command may reach into it.
  "cli/*": [
    "base",
    "calls",
    "types:commands",
    "config",
    "protocol",
    "state",
    "upstream/adapters",
    "upstream/names",
    "types:upstream/connect",
    "upstream/secrets",
    "upstream/config",
    "upstream/*",
    "upstream/cache",
    "upstream/edit",
    "upstream/import",
    "upstream/install",
    "upstream/oauth",
    "upstream/trust",
    "upstream/catalogue",
    "upstream/status",
    "install",
    "types:web",
    "hub",
  ],
  "cli/completion": [
    "base",
    "calls",
    "config",
    "state",
    "upstream/config",
    "upstream/cache",
    "upstream/import",
    "install",
    "cli/*",
  ],
  "cli/doctor": [
    "base",
    "network",
    "state",
    "upstream/config",
    "types:upstream/*",
    "upstream/import",
    "upstream/status",
    "install",
    "update",
    "web",
    "interact",
    "hub",
    "cli/*",
  ],
  "cli/commands": [
    "base",
    "calls",
    "types:commands",
    "config",
    "types:protocol",
    "server",
    "state",
    "upstream/adapters",
    "types:upstream/connect",
    "upstream/secrets",
    "upstream/config",
    "upstream/*",
    "upstream/edit",
    "upstream/import",
    "upstream/oauth",
    "upstream/user-logins",
    "upstream/trust",
    "upstream/catalogue",
    "install",
    "update",
    "web",
    "interact",
    "hub",
    "cli/*",
    "cli/completion",
    "cli/doctor",
  ],
  "cli/run": ["base", "config", "cli/*", "cli/commands"],
  "compose/*": [
    "base",
    "types:protocol",
    "config",
    "state",
    "commands",
    "web",
    "tools",
    "upstream",
    "calls",
    "types:observe",
    "server",
    "types:fleet",
    "interact",
    "hub",
    "cli",
  ],
  "compose/hub": ["base", "state", "commands", "upstream", "calls", "hub", "cli", "compose/*"],
  "compose/http": [
    "base",
    "types:protocol",
    "config",
    "state",
    "commands",
    "upstream",
    "calls",
    "observe",
    "server",
    "fleet",
    "cli",
    "compose/*",
  ],
  "compose/run": [
    "base",
    "protocol",
    "config",
    "state",
    "commands",
    "web",
    "tools",
    "upstream",
    "types:install",
    "server",
    "cli",
    "compose/*",
    "compose/hub",
    "compose/http",
  ],
  "worker.ts": ["tools"],
  "web-worker.ts": ["web"],
  "store-worker.ts": ["state"],
  "upstream-worker.ts": ["upstream"],
  "main.ts": ["tools", "compose"],
};

const rows = Object.keys(layers);
/** Folders with rows for what is in them. */
const split = new Set(
  rows.flatMap((row) => (row.includes("/") ? [row.slice(0, row.lastIndexOf("/"))] : [])),
);

function topOf(path: string): string {
  return path.split("/")[0] ?? path;
}

/** The row of a file. */
function rowOf(path: string): string {
  const [first = path, ...parts] = path.split("/");
  let row = first;
  while (split.has(row)) row += parts.length > 1 ? `/${parts.shift()}` : "/*";
  return row;
}

/** More files do not lie in one folder side by side. */
const folderFilesMax = 60;

/** Nine files in ten have at most so many lines. */
const lengthMax = 250;
/** No file has more, but for the lists in which one looks a bound up. */
const longestMax = 450;
const lists: readonly string[] = ["base/limits.ts", "base/upstream-limits.ts"];

interface Source {
  /** Path below `src`. */
  readonly path: string;
  /** The first part of it. */
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
    return { path, folder: topOf(path), text, code };
  });

interface Import {
  /** Path below `src`. */
  readonly path: string;
  readonly isType: boolean;
}

/** All imports of files of ours, those at run time too. */
function allImportsOf(source: Source): Import[] {
  const statements = source.code.matchAll(
    /\b(import|export)\s+(type\s)?[^;"']*?from\s+["']([^"']+)["']|\bimport\s*\(\s*["']([^"']+)["']/g,
  );
  const found: Import[] = [];
  for (const [, , type, from, dynamic] of statements) {
    const target = from ?? dynamic ?? "";
    const path = relative(root, join(root, source.path, "..", target));
    if (target.startsWith(".") && !path.startsWith("..")) {
      found.push({ path, isType: type !== undefined });
    }
  }
  return found;
}

/** The row, or `types:` and the row, of each import that leaves the file's own row. */
function importsOf(source: Source): string[] {
  return allImportsOf(source)
    .map(({ path, isType }) => ({ row: rowOf(path), isType }))
    .filter(({ row }) => row !== rowOf(source.path))
    .map(({ row, isType }) => (isType ? `types:${row}` : row));
}

/** The entries that allow an import: its row, or the whole folder. */
function entriesFor(wanted: string): readonly string[] {
  return [wanted, topOf(wanted)];
}

/** The files on the way from a file back to itself, types included; each such way once. */
function cycles(): string[] {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (path: string, way: readonly string[]): void => {
    const source = byPath.get(path);
    const at = way.indexOf(path);
    if (at >= 0) found.push([...way.slice(at), path].join(" -> "));
    if (at >= 0 || done.has(path) || source === undefined) return;
    for (const next of allImportsOf(source)) visit(next.path, [...way, path]);
    done.add(path);
  };
  for (const { path } of sources) visit(path, []);
  return found;
}

const isAllowed = (row: readonly string[], wanted: string): boolean =>
  entriesFor(wanted).some(
    (entry) => row.includes(entry) || row.includes(entry.replace(/^types:/, "")),
  );

/** `file: what` for each source whose code matches. */
const matching = (expression: RegExp, mayHave: (source: Source) => boolean): string[] =>
  sources
    .filter((source) => !mayHave(source))
    .flatMap((source) => {
      const match = expression.exec(source.code);
      return match === null ? [] : [`${source.path}: ${match[0].trim()}`];
    });

describe("layers", () => {
  test("every file has a row, and every row a file", () => {
    const used = [...new Set(sources.map(({ path }) => rowOf(path)))].sort();
    expect(used).toEqual(rows.toSorted());
  });

  test("a row names only rows above it", () => {
    const offenders = rows.flatMap((row, index) =>
      (layers[row] ?? [])
        .map((wanted) => wanted.replace(/^types:/, ""))
        .filter((wanted) => {
          const named = rows.filter((other) => other === wanted || topOf(other) === wanted);
          return named.length === 0 || named.some((other) => rows.indexOf(other) >= index);
        })
        .map((wanted) => `${row} -> ${wanted}`),
    );
    expect(offenders).toEqual([]);
  });

  test(`no row has more than ${folderFilesMax} files: give the folder a second level`, () => {
    const counts = Map.groupBy(sources, ({ path }) => rowOf(path));
    const large = [...counts].filter(([, files]) => files.length > folderFilesMax);
    expect(large.map(([row]) => row)).toEqual([]);
  });

  test("files import only what their row allows (file -> row)", () => {
    const offenders = sources.flatMap((source) =>
      importsOf(source)
        .filter((wanted) => !isAllowed(layers[rowOf(source.path)] ?? [], wanted))
        .map((wanted) => `${source.path} -> ${wanted}`),
    );
    expect(offenders).toEqual([]);
  });

  test("no file imports itself by way of others, types included", () => {
    expect(cycles()).toEqual([]);
  });

  test("no row allows more than is used: remove the entry, or write `types:`", () => {
    const used = new Set(
      sources.flatMap((source) =>
        importsOf(source)
          .flatMap(entriesFor)
          .map((entry) => `${rowOf(source.path)} -> ${entry}`),
      ),
    );
    const stale = rows.flatMap((row) =>
      (layers[row] ?? [])
        .map((wanted) => `${row} -> ${wanted}`)
        .filter((entry) => !used.has(entry)),
    );
    expect(stale).toEqual([]);
  });
});

describe("style", () => {
  test("only the command line and the program read the environment or end the process", () => {
    const isOuter = ({ folder }: Source): boolean => ["cli", "compose", "main.ts"].includes(folder);
    const expression = /\bprocess\s*\.\s*(env|exit|exitCode)\b|\bBun\.env\b|\bimport\.meta\.env\b/;
    expect(matching(expression, isOuter)).toEqual([]);
  });

  test("nobody prints with console: stdout belongs to server/transport/stdio.ts, stderr to warn()", () => {
    const isRouting = ({ path }: Source): boolean => path === "base/console.ts";
    expect(matching(/(?<![/.\w])console\s*\.\s*\w+/, isRouting)).toEqual([]);
  });

  test("only the transport and the command line write to stdout", () => {
    const mayWrite = ({ path, folder }: Source): boolean =>
      folder === "cli" || path.startsWith("server/transport/");
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

  const linesOf = ({ text }: Source): number => text.trimEnd().split("\n").length;

  test(`nine files in ten have at most ${lengthMax} lines: split by concern`, () => {
    const long = sources.filter((source) => linesOf(source) > lengthMax);
    expect(long.length).toBeLessThanOrEqual(sources.length / 10);
  });

  test(`no file has more than ${longestMax} lines: split by concern`, () => {
    const longest = sources
      .filter((source) => linesOf(source) > longestMax)
      .map(({ path }) => path);
    expect(longest).toEqual([...lists]);
  });

  describe.each(lists)("each bound of %s", (path) => {
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
