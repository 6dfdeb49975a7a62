import { describe, expect, test } from "bun:test";
import fc from "fast-check";

import { AppError } from "../../../src/base/errors.ts";
import { readServers, setEntry } from "../../../src/install/edit/entry-text.ts";
import type { Entry, EntryHome } from "../../../src/install/install-targets.ts";
import { isObject } from "../../../src/base/values.ts";
import { jsonFiles, tomlFiles } from "../../upstream/edit/generated-files.ts";
import { yamlLists, yamlMaps } from "./generated-yaml.ts";
import { shareOf } from "../../fixtures/long-run.ts";

const entry = { name: "scorpiox-code", command: "/x", args: ["--client", "c"] };
const map = (key: string): EntryHome => ({ kind: "map", path: [key] });
const mcpToml = tomlFiles.map((text) =>
  text.replaceAll("mcp.servers", "mcp_servers").replaceAll('mcp."servers"', "mcp_servers"),
);

const languages: readonly (readonly [string, EntryHome, fc.Arbitrary<string>])[] = [
  ["a.json", map("mcpServers"), jsonFiles],
  ["a.toml", map("mcp_servers"), mcpToml],
  ["map.yaml", map("servers"), yamlMaps],
  ["list.yaml", { kind: "list", path: ["servers"] }, yamlLists],
];

/** Whether `text` is `longer` without some of its characters: nothing of it was lost, moved or written again. */
function isWithin(text: string, longer: string): boolean {
  let at = 0;
  for (let index = 0; index < longer.length; index++) if (text[at] === longer[index]) at++;
  return at === text.length;
}

/** Undefined for a layout that is refused. */
function edited(...args: Parameters<typeof setEntry>): string | undefined {
  try {
    return setEntry(...args);
  } catch (error) {
    if (error instanceof AppError && error.code === "config") return undefined;
    throw error;
  }
}

/** An empty `{}` or `[]` makes room for lines, and is written again when they go; of a missing key it is what stays. */
const withoutEmpty = (text: string): string =>
  text.replaceAll(/\s*(?:\{\s*\}|\[\s*\])/g, "").replace(/(?:\r?\n)?servers:\s*$/, "");

describe("[IN3] of a generated file", () => {
  test.each(languages)(
    "%s: nothing is lost when the entry comes, nor when it goes",
    (file, home, files) => {
      let count = 0;
      fc.assert(
        fc.property(files, (before) => {
          const after = edited(file, before, home, entry.name, entry);
          if (after === undefined) return;
          count++;
          expect(isWithin(withoutEmpty(before), withoutEmpty(after))).toBe(true);
          const back = edited(file, after, home, entry.name, undefined);
          expect(withoutEmpty(back ?? "").trimEnd()).toBe(withoutEmpty(before).trimEnd());
        }),
        { numRuns: shareOf(600), seed: 17 },
      );
      expect(count).toBeGreaterThan(shareOf(400));
    },
  );

  test.each(languages)("%s: a server that is switched off keeps its text", (file, home, files) => {
    let count = 0;
    fc.assert(
      fc.property(files, (before) => {
        if (before.replace("\uFEFF", "").trim() === "") return;
        const [name, old] = firstServer(file, before, home) ?? [];
        if (name === undefined || old === undefined) return;
        const after = edited(file, before, home, name, { ...old, off: true });
        if (after === undefined) return;
        count++;
        expect(isWithin(before, after)).toBe(true);
      }),
      { numRuns: shareOf(600), seed: 18 },
    );
    expect(count).toBeGreaterThan(shareOf(40));
  });
});

function firstServer(
  file: string,
  text: string,
  home: EntryHome,
): readonly [string, Entry] | undefined {
  let servers: unknown;
  try {
    servers = readServers(file, text, home);
  } catch {
    return undefined;
  }
  const found = Object.entries(isObject(servers) ? servers : {}).find(([, value]) =>
    isObject(value),
  );
  if (found !== undefined && isObject(found[1])) return [found[0], found[1]];
  const item: unknown = Array.isArray(servers) ? servers[0] : undefined;
  return isObject(item) && typeof item["name"] === "string" ? [item["name"], item] : undefined;
}
