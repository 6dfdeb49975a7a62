import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { type CitingText, deadCitations, specIds } from "./citations.ts";
import { anchorsOf, pages, readPage, root } from "./pages.ts";

/** Texts that are material of tests, and this page's own examples of what is wrong. */
const isMaterial = (file: string): boolean =>
  /^test\/(?:golden|fixtures)\//.test(file) || /^test\/docs\/citations(?:\.test)?\.ts$/.test(file);

const sources: readonly CitingText[] = ["src", "scripts", "test"].flatMap((folder) =>
  [...new Bun.Glob("**/*.{ts,sh,ps1}").scanSync(join(root, folder))]
    .map((name) => `${folder}/${name.replaceAll("\\", "/")}`)
    .filter((file) => !isMaterial(file))
    .sort()
    .map((file) => ({ file, text: readFileSync(join(root, file), "utf8") })),
);

test("every citation leads somewhere: an id of docs/spec, a heading of docs, a public specification", () => {
  expect(sources.length).toBeGreaterThan(1_000);
  const dead = [...sources, ...pages].flatMap((text) =>
    deadCitations(text).map((citation) => `${text.file}: ${citation}`),
  );
  expect([...new Set(dead)]).toEqual([]);
});

describe("deadCitations()", () => {
  test.each<[code: string, dead: readonly string[]]>([
    ["/** Fetched first (CN10a). */", []],
    ["/** Fetched first (CN10b). */", ["CN10b"]],
    ["// Of all (CF14–CF16).", []],
    ["// Of all (CF14–CF17).", ["CF17"]],
    ['test("[GW-44] as on the command line", run);', []],
    ['test("[GW-45] as on the command line", run);', ["GW-45"]],
    ['test("[gateway.gw-45] tells", run);', ["GW-45"]],
    ['describe("H04, H05: bodies", run);', []],
    ['describe("H04, H99: bodies", run);', ["H99"]],
    ['test("Z5: keeps ids apart", run);', ["Z5"]],
    ['test("U-nothing: is held", run);', ["U-nothing"]],
    ["/** In UTF-8, hashed with SHA-256 (RFC 9110 section 5.5). */", []],
    ["/** Statuses (docs/spec/modern.md#statuses). */", []],
    ["/** Statuses (docs/spec/modern.md#codes). */", ["docs/spec/modern.md#codes"]],
    ["/** Statuses (docs/spec/future.md). */", ["docs/spec/future.md"]],
    ["/**\n * Statuses (modern.md\n * section 9). */", ["section 9", "modern.md"]],
    ["/** As the gateway contract §7.4 has it. */", ["gateway contract", "§7.4"]],
    ['const file = "modern.md"; // no citation', []],
  ])("%j: %j", (code, dead) => {
    expect(deadCitations({ file: "src/example.ts", text: code })).toEqual([...dead]);
  });

  test.each<[text: string, dead: readonly string[]]>([
    ["Held by OA8 and `docs/gateway.md#states`.", []],
    ["Held by OA9 and `docs/gateway.md#moods`.", ["OA9", "docs/gateway.md#moods"]],
  ])("of a page, %j: %j", (text, dead) => {
    expect(deadCitations({ file: "docs/example.md", text })).toEqual([...dead]);
  });
});

describe("docs/spec", () => {
  test("no id is defined twice, and each has the anchor of its own name", () => {
    expect(specIds.length).toBeGreaterThan(200);
    const count = Map.groupBy(specIds, ({ id }) => id);
    expect([...count].filter(([, entries]) => entries.length > 1)).toEqual([]);
    expect(specIds.filter(({ id, anchor }) => anchor !== id.toLowerCase())).toEqual([]);
  });

  const specPages = pages.filter(({ file }) => file.startsWith("docs/spec/"));

  test.each(specPages.map((page) => [page.file, page] as const))(
    "%s has no anchor twice",
    (_, { text }) => {
      const anchors = anchorsOf(text);
      expect(anchors.filter((anchor, at) => anchors.indexOf(anchor) !== at)).toEqual([]);
    },
  );

  test("README.md names every page and every family of ids", () => {
    const { text } = readPage("docs/spec/README.md");
    const names = specPages.map(({ file }) => file.replace("docs/spec/", ""));
    expect(names.filter((name) => name !== "README.md" && !text.includes(`](${name})`))).toEqual(
      [],
    );
    const families = new Set(specIds.map(({ id }) => /^(?:[A-Z]\d\d$|[A-Z]+)/.exec(id)?.[0] ?? id));
    const isNamed = (family: string): boolean =>
      /^[A-Z]\d\d$/.test(family) || new RegExp(String.raw`\b${family}\b`).test(text);
    expect([...families].filter((family) => !isNamed(family))).toEqual([]);
  });
});
