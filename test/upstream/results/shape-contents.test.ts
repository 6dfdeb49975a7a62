import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { cleanText } from "../../../src/upstream/adapters/text-of.ts";
import { SavedResults } from "../../../src/upstream/results/saved-results.ts";
import {
  shapeCompletion,
  shapeContents,
  shapePrompt,
} from "../../../src/upstream/results/shape-contents.ts";

const folder = mkdtempSync(join(tmpdir(), "scorpiox-contents-"));
afterAll(() => rmSync(folder, { recursive: true }));
const parts = {
  server: "box",
  clean: cleanText,
  charsMax: 2_000,
  results: () => new SavedResults([folder]).of("ann"),
};

describe("GW-41, RP5: shapeContents()", () => {
  const read = async (answer: unknown): Promise<unknown> =>
    JSON.parse((await shapeContents(answer, parts)).json);

  test("gives contents with addresses of ours, and how long they may be kept", async () => {
    const contents = [
      { uri: "a:b", mimeType: "text/plain", text: "x\u0007", _meta: { k: 1 } },
      { uri: "skill://s/SKILL.md", blob: "AAAA" },
    ];
    expect(await read({ contents, ttlMs: 5, cacheScope: "public" })).toMatchObject({
      contents: [
        { uri: "scorpiox://mcp/box/a:b", mimeType: "text/plain", text: "x", _meta: { k: 1 } },
        { uri: "skill://box/s/SKILL.md", blob: "AAAA" },
      ],
      ttlMs: 5,
      cacheScope: "public",
    });
  });

  test("cuts long text, and not the page of an app", async () => {
    const long = "x".repeat(5_000);
    const shown = (await read({
      contents: [
        { uri: "a:b", text: long },
        { uri: "ui://a", text: long },
      ],
    })) as { contents: { text: string }[] };
    expect(shown.contents.map(({ text }) => text.length <= 2_000)).toEqual([true, false]);
    expect(shown).toMatchObject({ ttlMs: 0, cacheScope: "private" });
  });

  test("refuses bytes over 5 MiB with their size and place, and never cuts them", async () => {
    const blob = Buffer.alloc(5 * 1024 * 1024 + 1, 7).toString("base64");
    const failure = await read({ contents: [{ uri: "a:b", blob }] }).catch(
      (error: Error) => error.message,
    );
    const [, path = ""] = /It is in (.*\.bin)\.$/.exec(String(failure)) ?? [];
    expect(failure).toStartWith(
      "scorpiox://mcp/box/a:b of the server box has 5,242,881 bytes; a message takes 5,242,880.",
    );
    expect(readFileSync(path)).toHaveLength(5 * 1024 * 1024 + 1);
  });

  test.each([
    [undefined],
    [{}],
    [{ contents: [{ uri: "a:b" }] }],
    [{ contents: [{ text: "x" }] }],
    [{ contents: {} }],
  ])("refuses %j", async (answer) => {
    expect(read(answer)).rejects.toThrow(
      "The server box answered resources/read with an invalid result: it has",
    );
  });
});

test("shapePrompt() cleans, bounds and rewrites messages", async () => {
  const { json } = await shapePrompt(
    {
      description: "d\u0007",
      messages: [
        { role: "user", content: { type: "text", text: "x".repeat(5_000) } },
        { role: "assistant", content: { type: "resource_link", uri: "a:b", name: "n" } },
      ],
    },
    parts,
  );
  const shown = JSON.parse(json) as {
    description: string;
    messages: { content: { text: string; uri: string } }[];
  };
  expect(shown.description).toBe("d");
  expect(shown.messages[0]?.content.text.length).toBeLessThanOrEqual(2_000);
  expect(shown.messages[1]?.content.uri).toBe("scorpiox://mcp/box/a:b");
});

test.each([
  [{}],
  [{ messages: [{ role: "system", content: { type: "text", text: "" } }] }],
  [{ messages: [{ role: "user", content: "x" }] }],
])("shapePrompt() refuses %j", async (answer) => {
  expect(shapePrompt(answer, parts)).rejects.toThrow("an invalid result");
});

test("shapeCompletion() gives at most 100 texts", () => {
  const values = [1, ...Array.from({ length: 150 }, (_, index) => `v${index}`)];
  const { completion } = JSON.parse(
    shapeCompletion({ completion: { values, total: 150, hasMore: false } }, parts).json,
  ) as { completion: { values: string[] } };
  expect(completion).toEqual({
    values: Array.from({ length: 100 }, (_, index) => `v${index}`),
    total: 150,
    hasMore: true,
  } as never);
  expect(() => shapeCompletion({ completion: {} }, parts)).toThrow("no completion with values");
});
