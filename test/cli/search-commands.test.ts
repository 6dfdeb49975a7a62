import { describe, expect, test } from "bun:test";

import type { EngineReport, SearchReply } from "../../src/web/search/search-reply.ts";
import { TempTree } from "../config/temp-tree.ts";
import { run } from "./fake-io.ts";

const engines: EngineReport[] = [
  { name: "brave", status: "ok", count: 20, ms: 812 },
  { name: "bing", status: "blocked", count: 0, ms: 95, detail: "captcha" },
  { name: "mojeek", status: "suspended", count: 0, ms: 0, detail: "52 min" },
  { name: "google", status: "parse_error", count: 0, ms: 300 },
  { name: "yandex", status: "timeout", count: 0, ms: 4_000 },
];

const reply: SearchReply = {
  query: "kestrel",
  results: [
    {
      rank: 1,
      title: "Kestrel",
      url: "https://a.org/",
      snippet: "A falcon",
      engines: ["brave"],
      score: 0.016,
    },
  ],
  found: 1,
  engines,
  elapsedMs: 900,
  cached: false,
  partial: true,
};
const failed: SearchReply = { ...reply, results: [], found: 0, engines: engines.slice(1) };

describe("search", () => {
  test("prints what the tool would say; words are one query", async () => {
    const { exitCode, stdout, searched, closed } = await run(["search", "common", "kestrel"], {
      reply,
    });
    expect([exitCode, searched, closed]).toEqual([0, ["common kestrel"], 1]);
    expect(stdout).toContain("1. Kestrel\n   https://a.org/\n   A falcon\n   [brave]\n");
  });

  test("--json prints the reply", async () => {
    const { exitCode, stdout } = await run(["search", "kestrel", "--json"], { reply });
    expect([exitCode, JSON.parse(stdout)]).toEqual([0, reply]);
  });

  test("exits with 1 when every engine failed", async () => {
    const { exitCode, stdout } = await run(["search", "kestrel"], { reply: failed });
    expect(exitCode).toBe(1);
    expect(stdout).toContain("No search engine answered");
  });

  test.each([
    [["search"], "The query is missing"],
    [["search", "  "], "The query is missing"],
    [["search", "--engine", "brave", "x"], "--engine and --from-file must be given together"],
    [["search", "--from-file", "x"], "--engine and --from-file must be given together"],
  ])("%j is wrong usage", async (argv, message) => {
    const { exitCode, stderr } = await run(argv, { reply });
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe("search --from-file", () => {
  const page = JSON.stringify([
    { url: "https://a.org/", title: [{ value: "Kestrel" }], extract: null },
  ]);
  async function readPage(content: string, ...more: string[]): ReturnType<typeof run> {
    using folder = new TempTree({ page: content });
    return await run(["search", "--engine", "mwmbl", "--from-file", folder.path("page"), ...more]);
  }

  test("--json prints the state and the results, and nothing is asked", async () => {
    const { exitCode, stdout, searched } = await readPage(page, "--json");
    expect([exitCode, JSON.parse(stdout), searched]).toEqual([
      0,
      { state: "ok", results: [{ title: "Kestrel", url: "https://a.org/", snippet: "" }] },
      [],
    ]);
  });

  test("without --json it is for a person", async () => {
    const { stdout } = await readPage(page);
    expect(stdout).toStartWith("mwmbl: ok, 1 results\n\nKestrel\n  https://a.org/\n");
  });

  test("a query beside it finds unrelated results out", async () => {
    const { stdout } = await readPage(page, "--json", "weather");
    expect(JSON.parse(stdout)).toEqual({
      state: "ok",
      results: [],
      note: expect.stringContaining("poisoned"),
    });
  });

  test("an empty answer, an unknown engine, a missing file, a huge file", async () => {
    expect(JSON.parse((await readPage("[]", "--json")).stdout)).toEqual({
      state: "empty",
      results: [],
    });
    const unknown = await run(["search", "--engine", "nobody", "--from-file", import.meta.path]);
    expect([unknown.exitCode, unknown.stderr]).toEqual([
      2,
      expect.stringContaining('"nobody" is no'),
    ]);
    const missing = await run(["search", "--engine", "brave", "--from-file", "/nowhere/x"]);
    expect([missing.exitCode, missing.stderr]).toEqual([3, expect.stringContaining("/nowhere/x")]);
    const huge = await readPage("x".repeat(3 * 1024 * 1024 + 1));
    expect([huge.exitCode, huge.stderr]).toEqual([1, expect.stringContaining("3 MB")]);
  });
});

describe("doctor search", () => {
  test("prints a table, who answers, and what follows", async () => {
    const { exitCode, stdout } = await run(["doctor", "search"], { reply });
    expect(exitCode).toBe(0);
    expect(stdout).toBe(
      `engine  status       results    ms  detail
brave   ok                20   812
bing    blocked                 95  captcha
mojeek  suspended                   52 min
google  parse error            300
yandex  timeout               4000

1 of 5 engines answer from this network: brave. Asked for "kestrel", in 0.9 s.
Their pages may have changed; a newer version may read them: google.
They take this address for a bot; use another network or a proxy: bing.
They could not be reached; check the network, the proxy and the firewall: yandex.
Suspended; after a change of network, --forget asks them now: mojeek.
`,
    );
  });

  test("--forget ends the suspensions before it asks", async () => {
    const { exitCode, forgotten } = await run(["doctor", "search", "--forget"], { reply });
    expect([exitCode, forgotten]).toEqual([0, 1]);
    const plain = await run(["doctor", "search"], { reply });
    expect(plain.forgotten).toBe(0);
  });

  test("--json prints the states; 1 when none answers", async () => {
    const { exitCode, stdout } = await run(["doctor", "search", "--json"], { reply: failed });
    expect([exitCode, JSON.parse(stdout)]).toEqual([
      1,
      { query: "kestrel", elapsedMs: 900, engines: engines.slice(1) },
    ]);
  });
});
