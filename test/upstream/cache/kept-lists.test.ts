import { describe, expect, test } from "bun:test";
import { mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

import { keptListsBytesMax } from "../../../src/base/upstream-limits.ts";
import {
  contentMarkOf,
  type KeptLists,
  printKeptLists,
  readKeptLists,
} from "../../../src/upstream/cache/kept-lists.ts";
import { appearanceNow } from "../../../src/base/file-appearance.ts";
import { TempFolder } from "../../e2e/harness/temp-folder.ts";

const lists: KeptLists = {
  tools: [
    {
      listing: { name: "mcp__a__b", description: "B.", inputSchema: { type: "object" } },
      isHidden: true,
    },
  ],
  servers: [{ state: "cached" }],
  ttlMs: 1_000,
  isPrivate: false,
};
const env = { TOKEN: "t", EMPTY: "" };

interface Place {
  readonly file: string;
  readonly source: string;
  readonly catalogue: string;
}

function kept(home: TempFolder, text?: string): Place {
  const source = home.write("servers.json", "{}");
  const catalogue = home.write("catalogue.json", "{}");
  const file = home.at("lists/a.json");
  const absent = home.at("absent.json");
  const files = { [source]: appearanceNow(source), [absent]: appearanceNow(absent) };
  const variables = { TOKEN: "set", EMPTY: "empty", NONE: "unset" } as const;
  const catalogues = { [catalogue]: contentMarkOf(catalogue) };
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text ?? printKeptLists(lists, { files, catalogues, variables }) ?? "");
  return { file, source, catalogue };
}

describe("readKeptLists()", () => {
  test("the lists that were printed", () => {
    using home = new TempFolder();
    expect(readKeptLists(kept(home).file, env)).toEqual(lists);
  });

  test("a catalogue that was only touched", () => {
    using home = new TempFolder();
    const { file, catalogue } = kept(home);
    utimesSync(catalogue, 1, 1);
    expect(readKeptLists(file, env)).toEqual(lists);
  });

  test.each<[string, (home: TempFolder, place: Place) => void]>([
    ["a file of another content", (_, { source }) => writeFileSync(source, "{} ")],
    ["a file of another time", (_, { source }) => utimesSync(source, 1, 1)],
    ["a file that is gone", (_, { source }) => rmSync(source)],
    ["a file that was not there", (home) => home.write("absent.json", "{}")],
    ["a catalogue that is gone", (_, { catalogue }) => rmSync(catalogue)],
    [
      "a catalogue that was replaced",
      (home, { catalogue }) => renameSync(home.write("new.json", "[]"), catalogue),
    ],
  ])("nothing beside %s", (_about, change) => {
    using home = new TempFolder();
    const place = kept(home);
    change(home, place);
    expect(readKeptLists(place.file, env)).toBeUndefined();
  });

  test.each<[string, Record<string, string>]>([
    ["is gone", { EMPTY: "" }],
    ["is empty", { TOKEN: "", EMPTY: "" }],
    ["is not empty", { TOKEN: "t", EMPTY: "e" }],
    ["is set", { ...env, NONE: "n" }],
  ])("nothing when a variable %s", (_about, changed) => {
    using home = new TempFolder();
    expect(readKeptLists(kept(home).file, changed)).toBeUndefined();
  });

  test.each([
    "",
    "{",
    "[]",
    JSON.stringify({ version: 1 }),
    JSON.stringify({ version: 1, files: {}, catalogues: {}, variables: {}, lists: {} }),
    JSON.stringify({
      version: 1,
      files: {},
      catalogues: {},
      variables: {},
      lists: { ...lists, tools: [{ listing: { name: "a" } }] },
    }),
  ])("nothing of %j", (text) => {
    using home = new TempFolder();
    expect(readKeptLists(kept(home, text).file, env)).toBeUndefined();
  });
});

test.each([
  [0, true],
  [1, false],
])("printKeptLists() of the most, and %d bytes more, is a text: %p", (more, isText) => {
  const sources = { files: {}, catalogues: {}, variables: {} };
  const withDescription = (description: string): KeptLists => ({
    ...lists,
    tools: [{ listing: { name: "a", description, inputSchema: { type: "object" } } }],
  });
  const bare = printKeptLists(withDescription(""), sources)?.length ?? 0;
  const text = "x".repeat(keptListsBytesMax - bare + more);
  expect(printKeptLists(withDescription(text), sources) !== undefined).toBe(isText);
});
