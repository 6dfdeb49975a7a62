import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";

import { ensureBuilt, productBinary } from "./harness/binary.ts";
import { eventually } from "./harness/conditions.ts";
import { HttpServer } from "./harness/http-server.ts";
import type { HttpSession } from "./harness/http-session.ts";
import { isError, textOf } from "./harness/messages.ts";
import { testMsMax } from "./harness/platform.ts";
import { runProduct } from "./harness/run-product.ts";
import { Server, type ServerMessage } from "./harness/server.ts";
import { TempFolder } from "./harness/temp-folder.ts";
import { onlyLong } from "../fixtures/long-run.ts";
import { upstreamLaunch } from "../fixtures/upstream/launch.ts";

setDefaultTimeout(testMsMax);
ensureBuilt(productBinary);

const pages = { mimeTypes: ["text/html;profile=mcp-app"] };
const host = { extensions: { "io.modelcontextprotocol/ui": pages } };
const meta = (visibility: readonly string[]): object => ({
  ui: { resourceUri: "ui://board/page.html", visibility },
});

/** A board that a model shows, and that its own page keeps fresh. */
const board = {
  tools: [
    {
      name: "show_board",
      behaviour: "echo",
      inputSchema: { type: "object" },
      _meta: meta(["model", "app"]),
    },
    {
      name: "refresh_board",
      behaviour: "echo",
      inputSchema: { type: "object" },
      _meta: meta(["app"]),
    },
    "capabilities",
  ],
};

function homeWith(servers: Readonly<Record<string, object>>): TempFolder {
  const home = new TempFolder();
  const entries = Object.entries(servers).map(([name, script]) => {
    return [name, { ...upstreamLaunch(script), auto_approve: true }];
  });
  home.write(
    ".scorpiox/mcp_servers.json",
    JSON.stringify({ mcpServers: Object.fromEntries(entries) }),
  );
  return home;
}

const eras = ["legacy", "modern"] as const;
type Era = (typeof eras)[number];

/** A client of one era that declares these capabilities with all that it asks. */
class Client {
  readonly server: Server;
  readonly #meta: object;

  constructor(era: Era, capabilities: object, server: Server) {
    this.server = server;
    const modern = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "e2e", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": capabilities,
    };
    this.#meta = era === "modern" ? { _meta: modern } : {};
  }

  request(method: string, params: object = {}): Promise<ServerMessage> {
    return this.server.request(method, { ...params, ...this.#meta });
  }

  call(name: string, args: object = {}): Promise<ServerMessage> {
    return this.request("tools/call", { name, arguments: args });
  }

  async names(): Promise<readonly string[]> {
    const { result } = await this.request("tools/list");
    return ((result?.["tools"] ?? []) as readonly { readonly name: string }[]).map(
      ({ name }) => name,
    );
  }
}

/** Clients of one user. Those of the modern era share a server: what they can do is in each request. */
class Clients implements AsyncDisposable {
  readonly #era: Era;
  readonly #home: TempFolder;
  readonly #servers: Server[] = [];

  constructor(era: Era, home: TempFolder) {
    this.#era = era;
    this.#home = home;
  }

  async with(capabilities: object): Promise<Client> {
    const [first] = this.#servers;
    if (this.#era === "modern" && first !== undefined) {
      return new Client(this.#era, capabilities, first);
    }
    const server = new Server({ home: this.#home, args: ["serve"] });
    this.#servers.push(server);
    if (this.#era === "legacy") await server.initialize("2025-11-25", "e2e", { ...capabilities });
    return new Client(this.#era, capabilities, server);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of this.#servers) await server[Symbol.asyncDispose]();
  }
}

const shown = "mcp__board__show_board";
const hidden = "mcp__board__refresh_board";

describe.each(eras)("for a client of the %s era", (era) => {
  const few = ["few tools", {}] as const;
  const many = ["deferred tools", { many: { tools: 30 } }] as const;
  const [first, second] = era === "legacy" ? [few, many] : [many, few];
  test.each([first, ...onlyLong([second])])(
    "[apps.listed] with %s those for apps alone are listed for hosts of apps only",
    async (_what, more) => {
      using home = homeWith({ board, ...more });
      await using clients = new Clients(era, home);
      const client = await clients.with(host);
      await eventually("the tools", async () => (await client.names()).includes(hidden), 15_000);
      expect(await client.names()).toEqual(await client.names());
      // A host calls what its app has named, which knows its server only.
      for (const name of [hidden, "refresh_board"]) {
        expect(textOf(await client.call(name, { text: "fresh" }))).toBe("fresh");
      }
      const wrapped = await client.call("tool_call", { name: hidden, arguments: {} });
      expect([isError(wrapped), textOf(wrapped)]).toEqual([
        true,
        expect.stringContaining("Unknown tool"),
      ]);
      const found = JSON.stringify(
        await client.call("tool_search", { query: "refresh board", limit: 25 }),
      );
      expect(found).toContain(shown);
      expect(found).not.toContain("refresh_board");
      const other = await clients.with({});
      await eventually(
        "the server",
        async () => textOf(await other.call(shown, { text: "x" })) === "x",
        15_000,
      );
      expect(await other.names()).not.toContain(hidden);
      await eventually("a refusal", async () => (await other.call(hidden)).error?.code === -32602);
      const index = home.at(".scorpiox", "context", "tools", "mcp-index.md");
      if ("many" in more) expect(textIn(index)).not.toContain("refresh");
    },
  );
});

describe.each(eras)("of a client of the %s era", (era) => {
  const declared = async (client: Client, server: string): Promise<unknown> => {
    let said: unknown;
    await eventually(
      "an answer",
      async () => {
        const reply = await client.call(`mcp__${server}__capabilities`);
        if (reply.error !== undefined || isError(reply)) return false;
        const { extensions } = JSON.parse(textOf(reply)) as { readonly extensions?: unknown };
        said = extensions;
        return true;
      },
      15_000,
    );
    return said;
  };

  test.each([era, ...onlyLong(eras.filter((other) => other !== era))])(
    "[apps.declared] a server of the %s era hears whether it shows apps, and so does its list",
    async (serverEra) => {
      const listsFor = { era: serverEra, tools: ["capabilities"], toolsOfHosts: ["add"] };
      using home = homeWith({ s: listsFor });
      await using clients = new Clients(era, home);
      for (const [capabilities, expected] of [
        [{}, undefined],
        [host, host.extensions],
        [
          { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/x"] }, "x/y": {} } },
          { "io.modelcontextprotocol/ui": {} },
        ],
      ] as const) {
        const client = await clients.with(capabilities);
        expect(await declared(client, "s")).toEqual(expected as never);
        if (expected !== undefined) {
          await eventually("its list", async () => (await client.names()).includes("mcp__s__add"));
        }
      }
    },
  );
});

test("[apps.declared] over HTTP clients that show apps have connections of their own", async () => {
  using home = homeWith({ s: { era: "legacy", tools: ["capabilities", "pid"] } });
  await using server = await HttpServer.start({ home });
  const [plain, shows] = [await server.initialize(), await server.initialize("2025-11-25", host)];
  const pidOf = async (session: HttpSession): Promise<string> => {
    let text = "";
    await eventually("a process", async () => {
      const reply = await session.call("mcp__s__pid");
      text = textOf(reply);
      return reply.error === undefined && !isError(reply);
    });
    return text;
  };
  const pids = [await pidOf(plain), await pidOf(shows), await pidOf(plain), await pidOf(shows)];
  expect([pids[0] === pids[2], pids[1] === pids[3], pids[0] === pids[1]]).toEqual([
    true,
    true,
    false,
  ]);
  expect(textOf(await shows.call("mcp__s__capabilities"))).toContain("io.modelcontextprotocol/ui");
  expect(textOf(await plain.call("mcp__s__capabilities"))).not.toContain("extensions");
});

test("[apps.named] the answers to initialize and server/discover name the extension where there are other servers", async () => {
  using home = homeWith({ board });
  await using clients = new Clients("modern", home);
  const client = await clients.with(host);
  const discovered = await client.request("server/discover");
  const opened = await client.server.initialize("2025-11-25", "e2e", host);
  for (const { result } of [discovered, opened]) {
    expect(result?.["capabilities"]).toMatchObject({
      extensions: { "io.modelcontextprotocol/ui": {} },
    });
  }
  using empty = new TempFolder();
  await using others = new Clients("modern", empty);
  const alone = await others.with(host);
  expect(JSON.stringify(await alone.request("server/discover"))).not.toContain("protocol/ui");
});

function textIn(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

test("[apps.commands] the command line shows none of them in any form, and calls none", async () => {
  using home = homeWith({ board });
  const run = (...args: string[]): ReturnType<typeof runProduct> => runProduct(home, args);
  for (const format of ["mcp", "openai", "anthropic"]) {
    const listed = await run("tools", "--format", format, "--all");
    expect(listed.stdout).toContain("show_board");
    expect(listed.stdout).not.toContain("refresh_board");
  }
  for (const args of [
    ["call", hidden, "{}"],
    ["mcp", "call", "board", "refresh_board"],
  ]) {
    expect(await run(...args)).toMatchObject({ exitCode: 3, stdout: "" });
  }
  expect((await run("mcp", "tools", "--json")).stdout).toContain(hidden);
});
