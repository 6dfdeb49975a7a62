import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { expect, setDefaultTimeout, test } from "bun:test";

import { eventually } from "./harness/conditions.ts";
import { isError, textOf } from "./harness/messages.ts";
import { testMsMax } from "./harness/platform.ts";
import { Server, testsUseHub } from "./harness/server.ts";
import { TempFolder } from "./harness/temp-folder.ts";
import { upstreamLaunch } from "../fixtures/upstream/launch.ts";

setDefaultTimeout(testMsMax);

/** Two projects with a server each, and one that both name. */
function projects(home: TempFolder): void {
  const entry = (name: string): object => {
    const script = { name, tools: ["pid", "roots"], startsFile: home.at(`starts-${name}`) };
    return upstreamLaunch(script);
  };
  for (const name of ["a", "b"]) {
    const mcpServers = { both: entry("both"), [name]: entry(name) };
    home.write(`${name}/.mcp.json`, JSON.stringify({ mcpServers }));
  }
}

/** A client that is started at home, and says where it works. */
class Client {
  readonly server: Server;
  readonly #home: TempFolder;
  #roots: readonly string[];

  constructor(home: TempFolder, roots: readonly string[], env: Readonly<Record<string, string>>) {
    this.#home = home;
    this.#roots = roots;
    this.server = new Server({ home, cwd: home.path, env });
    this.server.onMessage(({ id, method }) => {
      if (method !== "roots/list" || id === undefined) return;
      const offered = this.#roots.map((name) => ({ uri: pathToFileURL(home.at(name)).href }));
      this.server.send({ jsonrpc: "2.0", id, result: { roots: offered } });
    });
  }

  async begin(): Promise<void> {
    await this.server.initialize("2025-11-25", "e2e", { roots: { listChanged: true } });
  }

  move(...roots: readonly string[]): void {
    this.#roots = roots;
    this.server.notify("notifications/roots/list_changed");
  }

  async tools(): Promise<readonly string[]> {
    const { result } = await this.server.request("tools/list");
    const tools = result?.["tools"] as readonly { readonly name: string }[];
    return tools.map(({ name }) => name).filter((name) => name.endsWith("__pid"));
  }

  async pid(name: string): Promise<string | undefined> {
    const reply = await this.server.call(`mcp__${name}__pid`);
    return reply.error === undefined && !isError(reply) ? textOf(reply) : undefined;
  }

  async roots(name: string): Promise<readonly string[]> {
    const { only } = JSON.parse(textOf(await this.server.call(`mcp__${name}__roots`))) as {
      only: { roots: readonly { readonly uri: string }[] };
    };
    const home = pathToFileURL(this.#home.path).href;
    return only.roots.map(({ uri }) => uri.slice(home.length + 1));
  }
}

function isRunning(pid: string | undefined): boolean {
  return existsSync(`/proc/${pid}`);
}

test("[gateway.gw-11-roots] a client that moves to another folder has the servers of that project", async () => {
  using home = new TempFolder();
  projects(home);
  const client = new Client(home, ["a"], { SCORPIOX_TRUST_PROJECT: "1" });
  await using server = client.server;
  await client.begin();
  expect(await client.tools()).toEqual(["mcp__a__pid", "mcp__both__pid"]);
  const [a, both] = [await client.pid("a"), await client.pid("both")];
  expect([isRunning(a), isRunning(both)]).toEqual([true, true]);
  expect(await client.roots("both")).toEqual(["a"]);
  client.move("b", "a");
  await server.message(
    "a changed list",
    ({ method }) => method === "notifications/tools/list_changed",
  );
  await eventually("the servers of the other project", async () => {
    return (await client.tools()).join() === "mcp__b__pid,mcp__both__pid";
  });
  // In the hub, a server without `isolation = "shared"` is that of one project.
  const kept = testsUseHub ? expect.stringMatching(/^\d+$/) : both;
  expect([await client.pid("both"), await client.pid("a")]).toEqual([kept, undefined]);
  expect(isRunning(await client.pid("b"))).toBe(true);
  await eventually("the end of the server that is left", () => Promise.resolve(!isRunning(a)));
  expect(await client.roots("both")).toEqual(["b", "a"]);
});

test("[gateway.gw-11-roots] nothing of the other project is started before it is approved", async () => {
  using home = new TempFolder();
  projects(home);
  const client = new Client(home, ["a"], {});
  await using _server = client.server;
  await client.begin();
  expect(await client.tools()).toEqual([]);
  client.move("b");
  await eventually("the servers of the other project", async () => {
    const found = await client.server.call("tool_search", { query: "pid" });
    return textOf(found).includes("mcp approve b");
  });
  expect(await client.tools()).toEqual([]);
  expect(["a", "b", "both"].map((name) => existsSync(home.at(`starts-${name}`)))).toEqual([
    false,
    false,
    false,
  ]);
});
