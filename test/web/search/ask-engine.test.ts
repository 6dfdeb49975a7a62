import { afterAll, beforeAll, describe, expect, test } from "bun:test";

import { createGuard } from "../../../src/web/guard/create-guard.ts";
import { type AskLimits, ReadingQueue } from "../../../src/web/search/ask-all.ts";
import { askEngine } from "../../../src/web/search/ask-engine.ts";
import { EngineMemories } from "../../../src/web/search/engine-pace.ts";
import type { EngineAnswer, EngineResponse, SearchEngine } from "../../../src/web/search/engine.ts";
import { captcha, plainEngine } from "./plain-engine.ts";

const guard = createGuard({ allowHosts: [], proxyEnv: {} });
const limits: AskLimits = {
  signal: new AbortController().signal,
  untilAt: Number.POSITIVE_INFINITY,
  onRequest: () => {},
};
const seen: string[] = [];

/** Pages by path; every request is noted. */
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    const { pathname } = new URL(request.url);
    seen.push(`${request.method} ${pathname} ${await request.text()}`.trim());
    return pageAt(pathname);
  },
});

function pageAt(path: string): Response {
  const moved = (status: number, Location: string): Response =>
    new Response("moved", { status, headers: { Location } });
  const latin = new Uint8Array([0x63, 0x61, 0x66, 0xe9]);
  const typed = (body: string | Uint8Array<ArrayBuffer>, type: string): Response =>
    new Response(body, { headers: { "Content-Type": type } });
  switch (path) {
    case "/302":
      return moved(302, "/end");
    case "/303":
      return moved(303, "end");
    case "/307":
      return moved(307, "/end");
    case "/loop":
      return moved(302, "/loop");
    case "/captcha-hop":
      return moved(302, "/captcha");
    case "/away":
      return moved(302, "https://elsewhere.example/");
    case "/local":
      return moved(302, "http://127.0.0.1:9/");
    case "/header-charset":
      return typed(latin, "text/html; charset=iso-8859-1");
    case "/meta-charset":
      return typed(Buffer.concat([Buffer.from('<meta charset="latin1">'), latin]), "text/html");
    case "/unknown-charset":
      return typed("café", "text/html; charset=nothing");
    case "/3-mb":
      return typed("x".repeat(3 * 1024 * 1024), "text/plain");
    case "/over-3-mb":
      return typed("x".repeat(3 * 1024 * 1024 + 1), "text/plain");
    case "/bomb":
      return new Response(Bun.gzipSync(Buffer.alloc(30_000_000)), {
        headers: { "Content-Encoding": "gzip" },
      });
    case "/not-packed":
      return new Response("no gzip at all", { headers: { "Content-Encoding": "gzip" } });
    case "/cookies": {
      const headers = new Headers([
        ["Set-Cookie", "a=1"],
        ["Set-Cookie", "b=2"],
        ["X-Other", "x"],
      ]);
      return new Response("", { headers });
    }
    default:
      return new Response("end");
  }
}

beforeAll(() => void seen.splice(0));
afterAll(async () => {
  await server.stop(true);
  await guard[Symbol.asyncDispose]();
});

/** What the engine got to read in the end, or the answer that came before. */
async function ask(
  path: string,
  parts: Partial<SearchEngine> = {},
): Promise<{ read: EngineResponse | undefined; answer: EngineAnswer; requests: string[] }> {
  seen.splice(0);
  let read: EngineResponse | undefined;
  const engine: SearchEngine = {
    ...plainEngine("brave"),
    start: () => ({
      step: "a",
      method: "POST",
      url: `https://brave.example${path}`,
      headers: {},
      body: "q=x",
    }),
    async read(response) {
      read = response;
      return { state: "no_results" };
    },
    ...parts,
  };
  const settings = {
    language: "en",
    region: undefined,
    marginaliaKey: undefined,
    searxngUrl: undefined,
  };
  const query = { text: "x", settings, memory: new EngineMemories().of("brave") };
  const base = `http://127.0.0.1:${server.port}`;
  const answer = await askEngine(engine, query, {
    guard,
    base,
    allowHosts: [new URL(base).host],
    limits,
    reading: new ReadingQueue(),
  });
  return { read, answer, requests: [...seen] };
}

describe("askEngine(): redirects", () => {
  test.each([
    ["/302", ["POST /302 q=x", "GET /end"]],
    ["/303", ["POST /303 q=x", "GET /end"]],
    ["/307", ["POST /307 q=x", "POST /end q=x"]],
  ])("%s is followed", async (path, requests) => {
    const asked = await ask(path);
    expect(asked.requests).toEqual([...requests]);
    expect(asked.read).toMatchObject({ status: 200, text: "end" });
    expect(asked.read?.url).toEndWith("/end");
  });

  test("at most three", async () => {
    const { answer, requests } = await ask("/loop");
    expect(answer).toEqual({ state: "error", detail: "more than 3 redirects" });
    expect(requests).toHaveLength(4);
  });

  test("one to a captcha is the answer, and is not followed", async () => {
    const { answer, requests } = await ask("/captcha-hop");
    expect([answer, requests]).toEqual([captcha, ["POST /captcha-hop q=x"]]);
  });

  test.each(["/away", "/local"])("%s: one that leaves the engine is not followed", async (path) => {
    const { answer, requests } = await ask(path);
    expect(answer).toMatchObject({
      state: "error",
      detail: expect.stringMatching(/^redirected to /),
    });
    expect(requests).toHaveLength(1);
  });
});

describe("askEngine(): bodies", () => {
  test.each([
    ["/header-charset", "café"],
    ["/meta-charset", '<meta charset="latin1">café'],
    ["/unknown-charset", "café"],
  ])("%s", async (path, text) => expect((await ask(path)).read?.text).toBe(text));

  test("3 MB are read, more is an error, compressed or not", async () => {
    const tooLarge: EngineAnswer = { state: "error", detail: "body too large" };
    expect((await ask("/3-mb")).read?.text).toHaveLength(3 * 1024 * 1024);
    expect((await ask("/over-3-mb")).answer).toEqual(tooLarge);
    expect((await ask("/bomb")).answer).toEqual(tooLarge);
  });

  test("a body that breaks off is told without the address that was asked", async () => {
    expect(ask("/not-packed")).rejects.toMatchObject({
      code: "system",
      message: "the answer broke off: Z_DATA_ERROR",
    });
  });

  test("the engine gets all cookies, and other headers in lower case", async () => {
    const { read } = await ask("/cookies");
    expect(read?.headers).toMatchObject({ "set-cookie": "a=1, b=2", "x-other": "x" });
  });
});

test("askEngine() goes on as the engine says, for three requests at most", async () => {
  const next: SearchEngine["next"] = async ({ request }) => ({
    step: `${request.step}a`,
    method: "GET",
    url: `https://brave.example/${request.step}`,
    headers: {},
  });
  const { requests, read } = await ask("/start", { next });
  expect(requests).toEqual(["POST /start q=x", "GET /a", "GET /aa"]);
  expect(read?.text).toBe("end");
});

test("askEngine() reaches nothing private but what the user named", async () => {
  const engine = plainEngine("brave");
  const settings = {
    language: "en",
    region: undefined,
    marginaliaKey: undefined,
    searxngUrl: undefined,
  };
  const query = { text: "x", settings, memory: new EngineMemories().of("brave") };
  const road = { guard, limits, reading: new ReadingQueue() };
  const base = `http://127.0.0.1:${server.port}`;
  expect(askEngine(engine, query, { ...road, base, allowHosts: [] })).rejects.toMatchObject({
    code: "refused",
  });
});
