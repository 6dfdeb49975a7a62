import { describe, expect, test } from "bun:test";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

import {
  printTold,
  readTold,
  type ToldPlace,
  type ToldServers,
} from "../../../src/upstream/cache/told-servers.ts";
import { TempFolder } from "../../e2e/harness/temp-folder.ts";

const told: ToldServers = {
  waiting: ["repo"],
  introductions: [{ server: "files", line: `"Files."` }],
  indexFile: "/p/index.md",
};

function kept(home: TempFolder, text?: string): ToldPlace {
  const source = home.write("servers.json", "{}");
  const place = { file: home.at("told/a.json"), sources: [source, home.at("absent.json")] };
  mkdirSync(dirname(place.file), { recursive: true });
  writeFileSync(place.file, text ?? printTold(told, place));
  return place;
}

describe("readTold()", () => {
  test("what was printed", () => {
    using home = new TempFolder();
    expect(readTold(kept(home))).toEqual(told);
  });

  test.each<[string, (home: TempFolder, place: ToldPlace) => void]>([
    ["that was changed", (_, { sources }) => writeFileSync(sources[0] ?? "", "{} ")],
    ["that is gone", (_, { sources }) => rmSync(sources[0] ?? "")],
    ["that was not there", (home) => home.write("absent.json", "{}")],
  ])("nothing beside a source %s", (_about, change) => {
    using home = new TempFolder();
    const place = kept(home);
    change(home, place);
    expect(readTold(place)).toBeUndefined();
  });

  test.each([
    "",
    "{",
    "[]",
    JSON.stringify({ version: 1 }),
    JSON.stringify({ version: 1, state: "- -", told: { waiting: [1], introductions: [] } }),
  ])("nothing of %j", (text) => {
    using home = new TempFolder();
    expect(readTold(kept(home, text))).toBeUndefined();
  });
});
