import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, existsSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";

import { parsePrometheus } from "../observe/metrics/parse-prometheus.ts";
import { attributesOf, Collector } from "../observe/otlp/collector.ts";
import { eventually } from "./harness/conditions.ts";
import { Gate } from "./harness/gate.ts";
import { onlyMessage } from "./harness/http-client.ts";
import { HttpServer } from "./harness/http-server.ts";
import { requestOf } from "./harness/http-session.ts";
import { structuredOf, textOf } from "./harness/messages.ts";
import { posixTest, testMsMax } from "./harness/platform.ts";
import { TempFolder } from "./harness/temp-folder.ts";
import { upstreamHome } from "./harness/upstream-home.ts";

setDefaultTimeout(testMsMax);

const laptop = "laptop-0123456789abcdef";
const ci = "ci-0123456789abcdefghij";
const watcher = "watcher-0123456789abcde";
const secret = "correct horse battery staple";
const bash = (command: string): Record<string, unknown> => ({
  name: "Bash",
  arguments: { command, timeout: 600_000 },
});

type Line = Readonly<Record<string, unknown>>;

function linesOf(text: string): Line[] {
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Line);
}

/** The metrics at the address that the server has printed. */
async function metricsUrl(server: HttpServer): Promise<string> {
  return eventually(
    "the address of the metrics",
    () => /^Metrics: (\S+)$/m.exec(server.stdout)?.[1],
  );
}

/** Logs, figures and traces are those of one process. */
const isAlone = true;

async function statusOf(url: string, headers: Record<string, string> = {}): Promise<number> {
  return (await fetch(url, { headers })).status;
}

describe("the access log", () => {
  posixTest(
    "[team.access-log] has all calls and refusals, in a private file that may be rotated",
    async () => {
      using folder = new TempFolder();
      const path = folder.at("access.log");
      await using server = await HttpServer.start({
        isAlone,
        args: ["--access-log", path, "--tool-scopes", "Bash=tools:exec"],
        tokens: [`laptop ${laptop}`, `ci ${ci} tools:read`],
      });
      const session = await server.initialize();
      await session.call("Bash", { command: `echo ${secret}` });
      await session.call("Bash", { command: "" });
      await session.post(requestOf(9, "tools/call", { name: "No\nsuch", arguments: {} }));
      await server.client.withToken("wrong-0123456789abcdef").modern("tools/list");
      await server.client.withToken(ci).modern("tools/call", bash("true"));
      await eventually("six lines", () => linesOf(readFileSync(path, "utf8")).length >= 6);
      const before = readFileSync(path, "utf8");
      expect([statSync(path).mode & 0o777, before.includes(secret)]).toEqual([0o600, false]);
      const shown = linesOf(before).map(({ principal, client, method, tool, outcome }) =>
        [principal, client, method, tool, outcome].join(" "),
      );
      expect(shown).toEqual([
        "token:laptop e2e initialize  ok",
        "token:laptop e2e tools/call Bash ok",
        "token:laptop e2e tools/call Bash tool_error",
        "token:laptop e2e tools/call No\nsuch error:-32602",
        "    refused:401",
        "token:ci   Bash refused:403",
      ]);
      expect(new Set(linesOf(before).map(({ address }) => address))).toEqual(
        new Set(["127.0.0.1"]),
      );
      renameSync(path, `${path}.1`);
      await session.post(requestOf(9, "ping"));
      await eventually(
        "a file after the rotation",
        () => existsSync(path) && readFileSync(path, "utf8") !== "",
      );
      expect(linesOf(readFileSync(path, "utf8"))).toMatchObject([
        { method: "ping", outcome: "ok" },
      ]);
      expect(readFileSync(`${path}.1`, "utf8")).toBe(before);
    },
  );

  posixTest(
    "[team.access-log] on stdout has nothing else beside it, and its end is not lost",
    async () => {
      await using server = await HttpServer.start({ isAlone, args: ["--access-log", "-"] });
      const calls = Array.from({ length: 30 }, () => server.modern("tools/list"));
      await Promise.all(calls);
      server.signal("SIGTERM");
      await server.ended();
      expect(linesOf(server.stdout)).toHaveLength(30);
      expect(server.stderr).toContain(`Listening on ${server.url}`);
    },
  );

  test("[team.access-log] a file that cannot be written is refused at the start", async () => {
    using folder = new TempFolder();
    const args = ["--access-log", folder.path];
    const { exitCode, stderr } = await HttpServer.run({ args });
    expect(exitCode).not.toBe(0);
    expect(stderr).toContain("The file of --access-log cannot be written");
  });
});

describe("metrics and details", () => {
  test("[team.metrics] at an address of their own they need no token", async () => {
    await using server = await HttpServer.start({
      isAlone,
      args: ["--metrics", "127.0.0.1:0"],
      tokens: [`laptop ${laptop}`],
    });
    await server.modern("tools/call", { name: "ListBgTasks", arguments: {} });
    await server.client.withToken("wrong-0123456789abcdef").modern("tools/list");
    const url = await metricsUrl(server);
    const text = await (await fetch(url)).text();
    const calls = parsePrometheus(text).find(({ name }) => name === "scorpiox_calls_total");
    expect(calls?.samples).toEqual([
      {
        name: "scorpiox_calls_total",
        labels: { tool: "ListBgTasks", server: "", outcome: "ok" },
        value: 1,
      },
    ]);
    expect(text).toContain('scorpiox_http_refused_total{status="401"} 1\n');
    const status = (await (await fetch(new URL("/status", url))).json()) as Line;
    expect(status).toMatchObject({ ready: "ready", requestsInFlight: 0, tools: { queue: 0 } });
    expect(await (await fetch(new URL("/readyz", url))).text()).toBe("ready\n");
    for (const path of ["/metrics", "/status"]) {
      expect((await server.client.fetch({ method: "GET", path })).status).toBe(404);
    }
  });

  test("[team.metrics] at the port of the endpoint a token with scopes needs the scope metrics", async () => {
    await using server = await HttpServer.start({
      args: ["--metrics"],
      tokens: [`laptop ${laptop}`, `ci ${ci} tools:read`, `watcher ${watcher} metrics`],
    });
    const statuses: number[] = [];
    for (const token of [laptop, ci, watcher, ""]) {
      const client = server.client.withToken(token);
      for (const path of ["/metrics", "/status"]) {
        statuses.push((await client.fetch({ method: "GET", path })).status);
      }
    }
    expect(statuses).toEqual([200, 200, 403, 403, 200, 200, 401, 401]);
  });

  test("[team.metrics] an address that is taken is refused by its flag", async () => {
    using first = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
    const { host } = first.url;
    const { exitCode, stderr } = await HttpServer.run({ args: ["--metrics", host] });
    expect([exitCode === 0, stderr]).toEqual([
      false,
      expect.stringContaining(
        `Cannot listen on ${host}: the port is in use. Choose another one with --metrics`,
      ),
    ]);
  });
});

describe("[team.operator-host]", () => {
  let server: HttpServer;
  beforeAll(async () => {
    server = await HttpServer.start({ isAlone, args: ["--metrics", "127.0.0.1:0"] });
  });
  afterAll(() => server[Symbol.asyncDispose]());

  test.each([
    [{ host: "evil.example" }, 403],
    [{ host: "10.1.2.3" }, 200],
    [{ origin: "https://evil.example" }, 403],
    [{ "sec-fetch-site": "cross-site" }, 403],
  ])("a request with %j is answered with %d everywhere", async (headers, status) => {
    const url = await metricsUrl(server);
    for (const path of ["/metrics", "/status", "/healthz", "/readyz"]) {
      expect(await statusOf(new URL(path, url).href, headers)).toBe(status);
    }
    for (const path of ["/healthz", "/readyz"]) {
      expect(await statusOf(new URL(path, server.url).href, headers)).toBe(status);
    }
  });
});

describe("readiness", () => {
  posixTest.each([
    [[], 200],
    [["--ready-strict"], 503],
  ])(
    "[team.ready] with %j a store that cannot be written makes it %d and degraded",
    async (args, status) => {
      await using server = await HttpServer.start({ args });
      expect(await statusOf(new URL("/readyz", server.url).href)).toBe(200);
      // A file in the place of the store's folder: root could write into any folder.
      server.home.write(".scorpiox/store.db", "");
      renameSync(server.home.at(".scorpiox"), server.home.at("moved"));
      await eventually("the file", () => {
        try {
          server.home.write(".scorpiox", "");
          return true;
        } catch {
          // The server has made the folder again.
          rmSync(server.home.at(".scorpiox"), { recursive: true, force: true });
          return false;
        }
      });
      chmodSync(server.home.at(".scorpiox"), 0o400);
      const word = async (): Promise<string> => {
        const response = await fetch(new URL("/readyz", server.url));
        return `${response.status} ${await response.text()}`;
      };
      await eventually("the word", async () => (await word()) === `${status} degraded\n`, 20_000);
      expect(await statusOf(new URL("/healthz", server.url).href)).toBe(200);
      expect(textOf(onlyMessage(await server.modern("tools/call", bash("echo on"))))).toBe("on\n");
    },
  );
});

describe("the end", () => {
  posixTest(
    "[team.drain] 20 calls of both eras under way are answered within the time",
    async () => {
      using gate = new Gate();
      using folder = new TempFolder();
      const log = folder.at("access.log");
      await using server = await HttpServer.start({
        args: ["--drain", "60s", "--access-log", log],
      });
      const session = await server.initialize();
      const calls = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          index % 2 === 0
            ? server.client.openModern("tools/call", bash(gate.command("a", `${index}`)), index)
            : session.open("tools/call", bash(gate.command("a", `${index}`)), index),
        ),
      );
      server.signal("SIGTERM");
      await eventually(
        "draining",
        async () => (await statusOf(new URL("/readyz", server.url).href)) === 503,
      );
      const refused = await server.client.post(requestOf(1, "initialize"), {});
      expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
      gate.open();
      const replies = await Promise.all(calls.map((call, index) => call.reply(index)));
      expect(replies.map((reply) => textOf(reply))).toEqual(
        calls.map((_, index) => `a\n${index}\n`),
      );
      expect(await server.ended(60_000)).toBe(0);
      const ended = linesOf(readFileSync(log, "utf8")).filter(
        ({ method }) => method === "tools/call",
      );
      expect(ended.map(({ outcome }) => outcome)).toEqual(calls.map(() => "ok"));
    },
  );

  posixTest("[team.drain] a second signal ends it at once, and cut calls are logged", async () => {
    using folder = new TempFolder();
    const log = folder.at("access.log");
    await using server = await HttpServer.start({ args: ["--drain", "60m", "--access-log", log] });
    await server.client.openModern("tools/call", bash("echo begun; sleep 600"), 1);
    server.signal("SIGTERM");
    await eventually(
      "draining",
      async () => (await statusOf(new URL("/readyz", server.url).href)) === 503,
    );
    server.signal("SIGTERM");
    expect(await server.ended(30_000)).toBe(0);
    expect(linesOf(readFileSync(log, "utf8"))).toMatchObject([
      { method: "tools/call", tool: "Bash", outcome: "cancelled" },
    ]);
  });
});

describe("traces", () => {
  const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
  const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;

  test("[team.otlp] continue that of the client up to the MCP server, without arguments and results", async () => {
    using collector = new Collector();
    using home = upstreamHome({ up: [{ tools: ["meta", "echo"] }, { trust: true }] });
    await using server = await HttpServer.start({
      isAlone,
      home,
      args: ["--otlp", collector.url],
      env: { OTEL_SERVICE_NAME: "team", OTEL_EXPORTER_OTLP_HEADERS: "api-key=k" },
    });
    const call = (name: string, args: object, _meta: object): ReturnType<typeof server.modern> =>
      server.modern("tools/call", { name, arguments: args, _meta });
    let seen: unknown;
    await eventually("a call of the MCP server", async () => {
      const answer = await call("mcp__up__meta", {}, { traceparent });
      const reply = answer.status === 200 ? onlyMessage(answer) : undefined;
      seen = reply === undefined ? undefined : structuredOf(reply)?.["traceparent"];
      return seen !== undefined;
    });
    await call("Bash", { command: `echo ${secret}` }, { traceparent });
    server.signal("SIGTERM");
    await server.ended();
    expect(collector.faults).toEqual([]);
    expect(collector.resource).toMatchObject({ "service.name": "team" });
    expect(collector.requests.every(({ headers }) => headers.get("api-key") === "k")).toBe(true);
    expect(JSON.stringify(collector.requests)).not.toContain("battery");
    const spans = collector.spans.filter(({ traceId: id }) => id === traceId);
    expect(spans.at(-1)?.name).toBe("tools/call Bash");
    const up = spans.filter(({ name }) => name === "tools/call mcp__up__meta").at(-1);
    expect(up?.parentSpanId).toBe("00f067aa0ba902b7");
    expect(seen).toBe(`00-${traceId}-${up?.spanId}-01`);
    expect(attributesOf(up ?? { attributes: [] })).toMatchObject({
      "mcp.method.name": "tools/call",
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "mcp__up__meta",
      "scorpiox.upstream.server": "up",
    });
  });

  test("[team.otlp] a collector that is not there costs no call anything", async () => {
    await using server = await HttpServer.start({ args: ["--otlp", "http://127.0.0.1:9"] });
    const { status } = await server.modern("tools/list", {}, { traceparent });
    expect(status).toBe(200);
  });

  test("[team.otlp] a URL that no collector has is refused at the start", async () => {
    const { exitCode, stderr } = await HttpServer.run({ args: ["--otlp", "collector:4318"] });
    expect([exitCode === 0, stderr]).toEqual([
      false,
      expect.stringContaining("--otlp is not the URL of a collector"),
    ]);
  });
});
