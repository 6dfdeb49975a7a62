import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { dirname, join, posix } from "node:path";

import packageJson from "../../package.json";
import { markdownTable, pageTable } from "../../scripts/docs/markdown.ts";
import { generatedPages, renderPage } from "../../scripts/docs/pages.ts";
import { insertLines, readRecipes, type Recipe } from "../../scripts/structure/recipe.ts";
import type { Command } from "../../src/cli/command.ts";
import { serveListing } from "../../src/cli/commands/serve.ts";
import { everyFlag, parseArguments } from "../../src/cli/flags.ts";
import { commandListings, findCommand } from "../../src/cli/run/registry.ts";
import { describeConfigKeys } from "../../scripts/docs/config-table.ts";
import {
  anchorsOf,
  codeSpans,
  folderPages,
  isThere,
  type Page,
  pages,
  readPage,
  root,
  shellLines,
  withoutFences,
} from "./pages.ts";

const commands: ReadonlyMap<string, Command> = new Map(
  await Promise.all(
    commandListings.map(async (listing): Promise<[string, Command]> => [
      listing.name,
      await listing.load(),
    ]),
  ),
);
const knownFlags = new Set(
  [...commands.values()].flatMap(({ flags }) => Object.keys({ ...flags, ...everyFlag })),
);

/** Files that CONTRIBUTING.md shows how to make, and commands that need them: scripts/structure/additions.ts proves them. */
const examples: ReadonlySet<string> = new Set(
  readRecipes(readPage("CONTRIBUTING.md").text)
    .flatMap(({ steps }) => steps)
    .map((step) => (step.kind === "run" ? step.command : step.path)),
);

const withoutExamples = (text: string): string =>
  text
    .split("\n")
    .filter((line) => !examples.has(line.trim()))
    .join("\n");

const generated = await generatedPages(root);

describe("generated blocks", () => {
  test.each(generated.map((page) => [page.file, page] as const))(
    "%s is up to date (otherwise: bun run docs)",
    (file, page) => {
      const { text } = readPage(file);
      expect(renderPage(page, text)).toBe(text);
    },
  );

  test("README.md has the markers that the bench fills", () => {
    expect(readPage("README.md").text).toMatch(
      /<!-- bench:begin -->[\s\S]*<!-- bench:end -->[\s\S]*\(docs\/internals\/benchmarks\.md\)/,
    );
  });
});

describe("tables", () => {
  test.each<[name: string, cells: readonly (readonly string[])[], table: string]>([
    ["no row", [["a", "b"]], "| a | b |\n| --- | --- |"],
    [
      "an empty cell",
      [
        ["", "b"],
        ["x", ""],
      ],
      "|  | b |\n| --- | --- |\n| x |  |",
    ],
    ["a bar and a line break", [["a"], ["x|y\nz"]], "| a |\n| --- |\n| x\\|y z |"],
  ])("markdownTable() with %s", (_, [headings = [], ...rows], table) => {
    expect(markdownTable(headings, rows)).toBe(table);
    expect(pageTable(headings, rows)).toBe(`<!-- prettier-ignore -->\n${table}`);
  });

  test("those of generated blocks are not padded, and the formatter leaves them alone", () => {
    const tables = pages.flatMap(({ file, text }) =>
      [...text.matchAll(/<!-- ([\w-]+):begin -->([\s\S]*?)<!-- \1:end -->/g)].flatMap(
        ([, , block = ""]) =>
          [...block.matchAll(/(.*)\n((?:^\|.*\n)+)/gm)].map(([, above = "", table = ""]) => ({
            place: `${file}: ${table.slice(0, 60)}`,
            isLeftAlone: above === "<!-- prettier-ignore -->",
            isPadded: /[^|] {2,}\|/.test(table),
          })),
      ),
    );
    expect(tables.length).toBeGreaterThan(10);
    expect(tables.filter(({ isLeftAlone, isPadded }) => isPadded || !isLeftAlone)).toEqual([]);
  });
});

describe("recipes", () => {
  test.each(
    readRecipes(readPage("CONTRIBUTING.md").text).map((recipe): [string, Recipe] => [
      recipe.heading,
      recipe,
    ]),
  )("%s: the lines of CONTRIBUTING.md fit the files", (_, { steps }) => {
    const texts = new Map<string, string>();
    for (const step of steps) {
      if (step.kind !== "insert") continue;
      const before = texts.get(step.path) ?? readPage(step.path).text;
      const after = insertLines(before, step.lines);
      expect(after.length).toBeGreaterThan(before.length);
      texts.set(step.path, after);
    }
    expect(texts.size).toBeGreaterThan(0);
  });
});

describe("links", () => {
  test.each(pages.map((page) => [page.file, page] as const))("%s has no dead link", (_, page) => {
    expect(linksOf(page).filter((link) => !isAlive(link, page))).toEqual([]);
  });
});

function linksOf({ text }: Page): string[] {
  return [...withoutFences(text).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = ""]) => link)
    .filter((link) => !link.startsWith("https://"));
}

function isAlive(link: string, from: Page): boolean {
  const [path = "", anchor] = link.split("#");
  const file = path === "" ? from.file : posix.normalize(posix.join(dirname(from.file), path));
  if (!isThere(file)) return false;
  return anchor === undefined || anchorsOf(readPage(file).text).includes(anchor);
}

describe("paths", () => {
  test.each(["docs/ARCHITECTURE.md", ...folderPages])(
    "every path that %s names is there",
    (page) => {
      const paths = codeSpans(readPage(page).text).filter((span) =>
        /^[\w.-]+(\/[\w.-]*)*(\.ts|\.json|\/)$/.test(span),
      );
      expect(paths.length).toBeGreaterThan(5);
      const isInCheckout = (path: string): boolean =>
        existsSync(join(root, "src", path)) || existsSync(join(root, path));
      expect(paths.filter((path) => !isInCheckout(path))).toEqual([]);
    },
  );

  test("every path below a folder of the checkout that a page names is there", () => {
    const missing = pages.flatMap(({ file, text }) =>
      codeSpans(text)
        .filter((span) => /^(src|test|scripts|docs|\.github|\.ci)\/[\w./-]+$/.test(span))
        .filter((path) => !examples.has(path) && !isThere(path))
        .map((path) => `${file}: ${path}`),
    );
    expect(missing).toEqual([]);
  });

  test("every folder of src/ has its row in ARCHITECTURE.md", () => {
    const { text } = readPage("docs/ARCHITECTURE.md");
    const rows = [...text.matchAll(/^\| `(\w+)\/`/gm)].map(([, folder]) => folder);
    const folders = [...new Bun.Glob("**/*.ts").scanSync(join(root, "src"))]
      .filter((file) => file.includes("/"))
      .map((file) => file.replace(/[/\\].*$/, ""));
    expect(new Set(rows)).toEqual(new Set(folders));
  });

  test("every folder in a folder of src/ that has a page is named there", () => {
    const unnamed = [...new Bun.Glob("*/*/*.ts").scanSync(join(root, "src"))]
      .map((file) => file.replaceAll("\\", "/").split("/"))
      .filter(([folder]) => folderPages.includes(`src/${folder}/README.md`))
      .map(([folder, room]) => ({ page: `src/${folder}/README.md`, path: `${folder}/${room}/` }))
      .filter(({ page, path }) => !readPage(page).text.includes(`\`${path}`));
    expect([...new Set(unnamed.map(({ path }) => path))]).toEqual([]);
  });

  test.each([
    ["docs/ARCHITECTURE.md", 150],
    ...folderPages.map((page): [string, number] => [page, 60]),
  ])("%s has %i lines at most", (page, linesMax) => {
    expect(readPage(page).text.trimEnd().split("\n").length).toBeLessThanOrEqual(linesMax);
  });

  test("ARCHITECTURE.md leads to the page of every folder that has one", () => {
    const links = linksOf(readPage("docs/ARCHITECTURE.md"));
    expect(folderPages.length).toBeGreaterThan(10);
    expect(folderPages.filter((page) => !links.includes(`../${page}`))).toEqual([]);
  });
});

describe("commands", () => {
  test("every command line of the program is one that it takes", () => {
    const lines = pages.flatMap(({ file, text }) =>
      [...shellLines(text), ...codeSpans(text)]
        .filter((line) => !examples.has(line))
        .flatMap((line) => programArguments(line).map((args) => [file, args] as const)),
    );
    expect(lines.length).toBeGreaterThan(15);
    const refused = lines.flatMap(([file, args]) => {
      const problem = problemOf(args);
      return problem === undefined ? [] : [`${file}: ${args.join(" ")}: ${problem}`];
    });
    expect(refused).toEqual([]);
  });

  test("every flag that stands alone in backticks exists", () => {
    const unknown = pages.flatMap(({ file, text }) =>
      codeSpans(text)
        .filter((span) => /^--[a-z-]+$/.test(span))
        .filter((flag) => !knownFlags.has(flag.slice(2)) && !foreignFlags.has(flag))
        .map((flag) => `${file}: ${flag}`),
    );
    expect(unknown).toEqual([]);
  });

  test("every script of `bun run` is in package.json", () => {
    const scripts = new Set(Object.keys(packageJson.scripts));
    const missing = pages.flatMap(({ file, text }) =>
      [...text.matchAll(/\bbun run ([\w-]+)/g)]
        .map(([, script = ""]) => script)
        .filter((script) => !scripts.has(script))
        .map((script) => `${file}: ${script}`),
    );
    expect(missing).toEqual([]);
  });

  test("every key that a page sets or names with its variable exists", () => {
    const keys = new Set(describeConfigKeys().map(({ key }) => key));
    const named = pages.flatMap(({ file, text }) =>
      [
        ...withoutExamples(text).matchAll(
          /\bSCORPIOX_([A-Z_]+)\b(?![*<])|\bconfig (?:set|get|unset) ([A-Z_]+)/g,
        ),
      ].map(([, variable, key]) => [file, variable ?? key ?? ""] as const),
    );
    const unknown = named.filter(([, key]) => !keys.has(key) && !otherVariables.has(key));
    // A placeholder in a usage line is no key.
    expect(unknown.filter(([, key]) => key !== "KEY" && key !== "")).toEqual([]);
  });
});

/** Of other programs, or of npm and the scripts here. */
const foreignFlags: ReadonlySet<string> = new Set(["--yes", "--ignore-scripts"]);
/** Variables of the environment that are not keys. */
const otherVariables: ReadonlySet<string> = new Set([
  "CONNECT",
  "CHROME",
  "DEPTH",
  "HOME",
  "OWNER",
  "RELEASE_URL",
  "STALL_SECONDS",
  "INSTALL_UNSIGNED",
  "SECRETS",
  "TRUST_PROJECT",
]);

/** The arguments of each call of the program in a line; code spans name it by its path too. */
function programArguments(line: string): string[][] {
  const match =
    /(?:^|[\s&|;])(?:(?:~|\/home\/you)\/\.scorpiox\/scorpiox-code|bun src\/main\.ts)(?: (.*))?$/.exec(
      line,
    );
  if (match === null || /^(mv|rm|cp|claude) /.test(line)) return [];
  return [splitWords(match[1] ?? "")];
}

function splitWords(text: string): string[] {
  return [...text.matchAll(/(?:[^\s'"]+|'[^']*'|"[^"]*")+/g)].map(([word]) => word);
}

function problemOf(args: readonly string[]): string | undefined {
  const words = args[0]?.startsWith("-") ? [serveListing.name, ...args] : args;
  if (words.length === 0) return undefined;
  const listing = findCommand(words);
  const command = listing === undefined ? undefined : commands.get(listing.name);
  if (listing === undefined || command === undefined) return "no such command";
  try {
    const rest = words.slice(listing.name.split(" ").length);
    const { positionals } = parseArguments(rest, { ...command.flags, ...everyFlag });
    const { min, max } = command.arguments;
    return positionals.length < min || positionals.length > max ? "arguments" : undefined;
  } catch (error) {
    return String(error);
  }
}
