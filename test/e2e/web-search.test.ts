import { expect, setDefaultTimeout, test } from "bun:test";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/client/validators/ajv";

import { PlayedEngines, troubledEngines } from "../fixtures/played-engines.ts";
import { ensureBuilt, productBinary } from "./harness/binary.ts";
import { eventually } from "./harness/conditions.ts";
import { isError, someLegacyVersions, structuredOf, textOf } from "./harness/messages.ts";
import { testMsMax } from "./harness/platform.ts";
import { Server, testEnvironment } from "./harness/server.ts";
import { TempFolder } from "./harness/temp-folder.ts";
import { atThisLoad } from "../fixtures/at-this-load.ts";

setDefaultTimeout(testMsMax);

async function startServer(engines: PlayedEngines, home?: TempFolder): Promise<Server> {
  const server = new Server({ env: engines.env, ...(home === undefined ? {} : { home }) });
  await server.initialize();
  return server;
}

const search = { query: "kestrel" };
/** The five engines that are in order, where others are in trouble. */
const inOrder = ["duckduckgo", "brave", "startpage", "wikipedia", "mwmbl"];

test("[search.states] six engines in trouble: an answer in time, each state told", async () => {
  await using engines = new PlayedEngines(troubledEngines);
  await using server = await startServer(engines);
  const reply = await server.call("WebSearch", search);
  expect(isError(reply)).toBe(false);
  expect(textOf(reply)).toContain("\n\n1. Kestrel shared\n   https://shared.example/kestrel\n");
  expect(textOf(reply)).toContain(
    "bing blocked (captcha); mojeek rate limited (HTTP 429); google parse error",
  );
  const {
    results,
    engines: reports,
    elapsedMs,
  } = structuredOf(reply) as {
    results: { rank: number }[];
    engines: { name: string; status: string }[];
    elapsedMs: number;
  };
  expect(results.map(({ rank }) => rank)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  expect(reports.filter(({ status }) => status === "ok").map(({ name }) => name)).toEqual(inOrder);
  expect(elapsedMs).toBeLessThanOrEqual(atThisLoad(6_500));

  const listed = await server.request("tools/list");
  const tools = listed.result?.["tools"] as { name: string; outputSchema: object }[];
  const { outputSchema = {} } = tools.find(({ name }) => name === "WebSearch") ?? {};
  const validate = new AjvJsonSchemaValidator().getValidator(outputSchema);
  expect(validate(structuredOf(reply)).errorMessage).toBeUndefined();
});

test("[search.suspended] the store tells the next process whom to leave alone", async () => {
  await using engines = new PlayedEngines(troubledEngines);
  using home = new TempFolder();
  {
    await using server = await startServer(engines, home);
    await server.call("WebSearch", search);
  }
  await using server = await startServer(engines, home);
  const text = textOf(await server.call("WebSearch", search));
  expect(text).toMatch(
    /bing suspended 60 min → stackexchange .*; mojeek suspended 2 min → hackernews /,
  );
  expect([engines.asked.get("bing"), engines.asked.get("mojeek")]).toEqual([1, 1]);
  expect(engines.asked.get("brave")).toBe(2);
});

test("[search.failed] when every engine fails the result is an error that says what helps", async () => {
  await using engines = new PlayedEngines(troubledEngines);
  engines.setAll({ kind: "garbage" });
  await using server = await startServer(engines);
  const reply = await server.call("WebSearch", search);
  expect(isError(reply)).toBe(true);
  expect(textOf(reply)).toStartWith('No search engine answered for "kestrel" (0 of 11 engines');
  expect(textOf(reply)).toContain("- brave parse error (");
  expect(textOf(reply)).toContain("SEARXNG_URL");
});

test("[search.empty] nothing found is an answer", async () => {
  await using engines = new PlayedEngines(troubledEngines);
  engines.setAll({ kind: "garbage" });
  engines.behaviours.mwmbl = { kind: "results", results: [] };
  await using server = await startServer(engines);
  const reply = await server.call("WebSearch", search);
  expect(isError(reply)).toBe(false);
  expect(textOf(reply)).toStartWith('No results for "kestrel" (1 of 11 engines answered');
});

test.each(someLegacyVersions)(
  "[search.blank] a blank query is a bad argument under %s",
  async (version) => {
    await using server = new Server();
    await server.initialize(version);
    const reply = await server.call("WebSearch", { query: " \u200b" });
    const told = reply.error?.message ?? textOf(reply);
    expect(told).toContain("`query` is not valid: it is blank");
    expect(reply.error?.code ?? isError(reply)).toBe(version === "2025-11-25" ? true : -32602);
  },
);

test("[search.invisible] hidden characters of results do not arrive", async () => {
  await using engines = new PlayedEngines(troubledEngines);
  engines.setAll({ kind: "garbage" });
  const hidden = "\u202e\u200b\u{e0049}\u{e0047}\u001b[31m";
  engines.behaviours.mwmbl = {
    kind: "results",
    results: [
      { title: `Kes${hidden}trel`, url: "https://a.example/\u202e", snippet: `A ${hidden}falcon` },
    ],
  };
  await using server = await startServer(engines);
  const reply = await server.call("WebSearch", search);
  expect(textOf(reply)).toContain("1. Kestrel\n   https://a.example/%E2%80%AE\n   A falcon\n");
  expect(textOf(reply)).not.toMatch(/[\u202e\u200b\u{e0000}-\u{e007f}]/u);
  expect(textOf(reply)).not.toContain("\u001b");
});

test("[search.cached] the same query again is answered from memory", async () => {
  await using engines = new PlayedEngines(troubledEngines);
  await using server = await startServer(engines);
  const first = await server.call("WebSearch", search);
  const second = await server.call("WebSearch", { query: "  kestrel\n" });
  expect(structuredOf(second)).toEqual({
    ...structuredOf(first),
    notes: [expect.stringContaining("untrusted"), expect.stringMatching(/, cached$/)],
    cached: true,
  });
  expect(textOf(second)).toMatch(/answered in \d\.\d s, cached\n/);
  expect(engines.asked.get("brave")).toBe(1);
});

test("[search.cancelled] a cancelled search ends its requests", async () => {
  await using engines = new PlayedEngines(troubledEngines);
  engines.setAll({ kind: "hang" });
  await using server = await startServer(engines);
  const id = server.start("tools/call", { name: "WebSearch", arguments: search });
  await eventually("all engines asked", () => engines.waiting.size === 11);
  server.notify("notifications/cancelled", { requestId: id, reason: "test" });
  await eventually("all requests ended", () => engines.waiting.size === 0, 3_000);
  expect((await server.request("ping")).result).toEqual({});
  expect(server.messages.some((message) => message.id === id)).toBe(false);
});

test("[search.command] search, and doctor search", async () => {
  ensureBuilt(productBinary);
  await using engines = new PlayedEngines(troubledEngines);
  // Nobody is waited for.
  for (const id of ["yahoo", "qwant"] as const) engines.behaviours[id] = { kind: "garbage" };
  using home = new TempFolder();
  const run = async (...args: string[]): Promise<[exitCode: number, stdout: string]> => {
    const child = Bun.spawn([productBinary, ...args], {
      cwd: home.path,
      env: { ...testEnvironment(home.path), ...engines.env },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const stdout = await child.stdout.text();
    return [await child.exited, stdout];
  };
  const [found, text] = await run("search", "kestrel");
  expect([found, text]).toEqual([0, expect.stringContaining("1. Kestrel shared\n")]);
  const [again, json] = await run("search", "kestrel", "--json");
  expect([again, JSON.parse(json)]).toEqual([
    0,
    expect.objectContaining({ query: "kestrel", cached: false }),
  ]);
  const [, table] = await run("doctor", "search");
  expect(table).toMatch(/^bing +suspended +\d+ min: blocked \(captcha\)$/m);
  expect(table).toMatch(/^google +parse error /m);
  expect(engines.asked.get("bing")).toBe(1);
  const [, fresh] = await run("doctor", "search", "--forget");
  expect(fresh).toMatch(/^bing +blocked +\d+ +captcha$/m);
});
