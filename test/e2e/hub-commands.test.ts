import { describe, expect, setDefaultTimeout, test } from "bun:test";

import { formatAmount } from "../../src/base/cut-text.ts";
import { ensureBuilt, productBinary } from "./harness/binary.ts";
import { eventually } from "./harness/conditions.ts";
import { HttpServer } from "./harness/http-server.ts";
import { testMsMax } from "./harness/platform.ts";
import { runProduct } from "./harness/run-product.ts";
import { Server } from "./harness/server.ts";
import type { TempFolder } from "./harness/temp-folder.ts";
import { upstreamHome } from "./harness/upstream-home.ts";

setDefaultTimeout(testMsMax);
ensureBuilt(productBinary);

const env = { SCORPIOX_HUB: "on" };
const posixTest = test.skipIf(process.platform === "win32");

interface Report {
  readonly hub: {
    readonly pid: number;
    readonly clients: readonly { readonly pid: number; readonly workspace: string }[];
    readonly servers: readonly {
      readonly name: string;
      readonly pid?: number;
      readonly users: readonly number[];
      readonly residentBytes?: number;
    }[];
  } | null;
}

function homeOf(): TempFolder {
  const home = upstreamHome({ one: [{ tools: ["echo"] }] });
  home.folder("project/.git");
  return home;
}

async function clientOf(home: TempFolder, more: Record<string, string> = {}): Promise<Server> {
  const server = new Server({ home, cwd: home.at("project"), env: { ...env, ...more } });
  await server.initialize();
  const { result } = await server.call("mcp_one_echo", { text: "hi" });
  expect(JSON.stringify(result)).toContain("hi");
  return server;
}

async function report(home: TempFolder): Promise<Report> {
  const { stdout } = await runProduct(home, ["hub", "status", "--json"], { env });
  return JSON.parse(stdout) as Report;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe("[hub.commands] hub status and hub stop", () => {
  posixTest("show the clients of the hub, end it, and the clients go on", async () => {
    using home = homeOf();
    await using first = await clientOf(home);
    await using second = await clientOf(home);
    const { hub } = await report(home);
    const users = [first.pid, second.pid].toSorted((one, other) => one - other);
    expect(hub?.clients.map(({ pid }) => pid).toSorted((one, other) => one - other)).toEqual(users);
    const servers = hub?.servers ?? [];
    expect(servers.map((server) => server.users.toSorted((one, other) => one - other))).toEqual([
      users,
    ]);
    const pids = [hub?.pid ?? 0, ...servers.map(({ pid }) => pid ?? 0)];
    expect(pids.filter(isAlive)).toEqual(pids);
    const stop = await runProduct(home, ["hub", "stop"], { env });
    expect([stop.exitCode, stop.stderr]).toEqual([
      0,
      `scorpiox-code: The hub (process ${pids[0]}) has ended, with ${formatAmount(servers.length, "MCP server")}. 2 clients used it and may start another one.\n`,
    ]);
    await eventually("the end of the servers", () => !pids.some(isAlive));
    const again = await first.call("mcp_one_echo", { text: "again" });
    expect(JSON.stringify(again)).toContain("again");
    expect((await report(home)).hub?.pid).not.toBe(pids[0]);
  });

  posixTest("look without keeping it: it ends with its last client", async () => {
    using home = homeOf();
    const client = await clientOf(home);
    const pid = (await report(home)).hub?.pid ?? 0;
    await client[Symbol.asyncDispose]();
    await eventually("the end of the hub", () => !isAlive(pid));
    expect(await report(home)).toMatchObject({ hub: null, problem: null });
  });

  posixTest("[hub.persons] (U-admit) are refused to a command of a server", async () => {
    using home = homeOf();
    await using client = await clientOf(home, { SCORPIOX_POLICY_CAUTIONS: "off" });
    const { hub } = await report(home);
    const said = async (command: string): Promise<string> =>
      JSON.stringify(await client.call("Bash", { command }));
    const bash = (words: string): Promise<string> =>
      said(`${productBinary} ${words} 2>&1; echo =$?`);
    expect(await bash("hub status")).toMatch(/cannot be asked: a server started this process .*=1/);
    expect(await bash("hub stop --kept")).toMatch(/hub stop was not run.*=1/);
    // A mark can be wiped, and parents can be left: the limit of file locks and the server that adopts remain.
    const wiped = `env -i HOME=$HOME PATH=$PATH LANG=C.UTF-8 setsid ${productBinary} hub status`;
    expect(await said(`(${wiped} &) | cat`)).toContain("cannot be asked: ");
    expect((await report(home)).hub?.pid).toBe(hub?.pid);
  });
});

posixTest(
  "[hub.metrics] /metrics has the hub of a server over HTTP that is told to use one",
  async () => {
    using home = homeOf();
    const args = ["--metrics", "--cwd", home.at("project")];
    await using server = await HttpServer.start({ home, isAlone: true, args, env });
    const figures = async (): Promise<string> =>
      (await fetch(new URL("/metrics", server.url))).text();
    await eventually("the hub", async () => (await figures()).includes("scorpiox_hub_clients 1\n"));
  },
);
