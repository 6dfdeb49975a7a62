import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { type SavedPageReading, readSavedPage } from "../../../../src/web/search/saved-page.ts";

/** Real pages; they belong to their publishers, and are no part of the repository. */
const root = join(import.meta.dir, "../../../../../shared/websearch/captures");

interface Capture {
  readonly name: string;
  readonly engine: string;
  readonly text: string;
  readonly state: SavedPageReading["state"];
  readonly expected: readonly Expected[];
}

interface Expected {
  readonly title: string;
  readonly url: string;
  readonly snippet_prefix: string;
}

const states: Readonly<Record<string, SavedPageReading["state"]>> = {
  results: "ok",
  no_results: "empty",
  blocked: "blocked",
};

const squeeze = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

function readCaptures(): Capture[] {
  if (!existsSync(root)) return [];
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".html") || file.endsWith(".body.json"))
    .sort()
    .map((file) => {
      const sidecar = file.replace(/\.html$/, ".json").replace(/\.body\.json$/, ".meta.json");
      const meta = JSON.parse(readFileSync(join(root, sidecar), "utf8"));
      return {
        name: file,
        engine: meta.engine,
        text: readFileSync(join(root, file), "utf8"),
        state: states[meta.kind] ?? "parse_error",
        expected: meta.expected ?? [],
      };
    });
}

const captures = readCaptures();

describe("captured pages", () => {
  test.skipIf(captures.length === 0)("are of all kinds", () => {
    expect(new Set(captures.map(({ state }) => state))).toEqual(
      new Set(["ok", "empty", "blocked"]),
    );
  });

  test.each(captures)("readSavedPage reads $name", async ({ engine, text, state, expected }) => {
    const reading = await readSavedPage(engine, text);
    const found = reading.results.map(({ title, url, snippet }, index) => ({
      title: squeeze(title),
      url,
      snippet_prefix: squeeze(snippet).slice(
        0,
        squeeze(expected[index]?.snippet_prefix ?? "").length,
      ),
    }));
    expect({ state: reading.state, found }).toEqual({
      state,
      found: expected.map(({ title, url, snippet_prefix }) => ({
        title: squeeze(title),
        url,
        snippet_prefix: squeeze(snippet_prefix),
      })),
    });
  });
});
