import { describe, expect, test } from "bun:test";

import { hubPlaceOf } from "../../src/hub/link/hub-place.ts";
import { findHubs } from "../../src/hub/link/find-hubs.ts";
import { TempTree } from "../config/temp-tree.ts";
import { FixtureHubs } from "../hub/watch/fixture-hubs.ts";
import { status } from "../hub/watch/watch-pair.ts";
import { type CommandRun, type CommandRunInput, runIn } from "./fake-io.ts";

const posix = process.platform !== "win32";
const envFile = "home/.scorpiox/scorpiox-env.txt";
const nobody = { clients: [], servers: [], kept: [], hints: [] };

/** A home in which hubs of the test run. */
class HubHome implements AsyncDisposable {
  readonly tree = new TempTree({ "home/.scorpiox/x": "" });
  readonly scorpioxDir = this.tree.path("home/.scorpiox");
  readonly hubs = new FixtureHubs(this.scorpioxDir);

  run(words: string, input: CommandRunInput = {}): Promise<CommandRun> {
    return runIn(this.tree, words.split(" "), input);
  }

  async json(words: string): Promise<Record<string, unknown>> {
    const { stdout } = await this.run(`${words} --json`);
    return JSON.parse(stdout) as Record<string, unknown>;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.hubs[Symbol.asyncDispose]();
    this.tree[Symbol.dispose]();
  }
}

/** Times, sizes and numbers of processes vary. */
function stable(text: string, pid: number): string {
  return text
    .replaceAll(String(pid), "PID")
    .replaceAll(hubPlaceOf("/x").name, "hub-X")
    .replaceAll(/\d+ h \d+ min|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, "TIME")
    .replaceAll(/\d+ MB/g, "N MB");
}

describe.if(posix)("[HB9] hub status", () => {
  test("says that none is running, and starts none", async () => {
    await using home = new HubHome();
    const { exitCode, stdout, stderr } = await home.run("hub status");
    expect([exitCode, stdout]).toEqual([0, "- No hub is running. HUB=auto (default)\n"]);
    expect(stderr).toContain("The next client with MCP servers or a kept task starts one.");
    expect(await home.json("hub status")).toEqual({
      mode: "auto",
      source: "default",
      idleS: 10,
      unsupported: null,
      hub: null,
      problem: null,
      others: [],
    });
    expect(findHubs(home.scorpioxDir).map(({ record }) => record)).toEqual([undefined]);
  });

  test("says that HUB is off, and by which file", async () => {
    await using home = new HubHome();
    home.tree.put(envFile, "HUB=off\n");
    const { exitCode, stdout, stderr } = await home.run("hub status");
    expect(exitCode).toBe(0);
    expect(stdout).toBe(
      "- No hub: HUB=off (user: home/.scorpiox/scorpiox-env.txt:1). Each client runs its own MCP servers, and no background task outlives its client.\n",
    );
    expect(stderr).toContain("scorpiox-code config set HUB auto");
  });

  test("shows clients, servers with their users, kept tasks and hints", async () => {
    await using home = new HubHome();
    const { pid } = await home.hubs.start();
    const { exitCode, stdout, stderr } = await home.run("hub status");
    expect([exitCode, stderr]).toEqual([0, "scorpiox-code: End it: scorpiox-code hub stop\n"]);
    expect(stable(stdout, pid).split("\n")).toEqual([
      "+ The hub runs as process PID since TIME (TIME), version 1.2.3",
      "    HUB=auto (default); without clients and kept tasks it ends after 10.0 s",
      ...(process.platform === "linux" ? ["    memory: N MB, its MCP servers N MB"] : []),
      "    log: home/.scorpiox/run/hub-X/log",
      "Clients (2):",
      "  pid 10  cursor  2 servers  for TIME  /w/one",
      "  pid 11  ?       1 server   for TIME",
      "MCP servers (2):",
      "  + docs  ready     2 clients  workspace        pid 20  /w/one",
      "  ! far   starting  1 client   session    N MB",
      "Kept tasks (1):",
      "  1001  running for TIME  12 bytes  /w/one  make watch",
      '! docs could be shared over workspaces: isolation = "shared".',
      "",
    ]);
  });

  test("has all of it in JSON", async () => {
    await using home = new HubHome();
    const { pid } = await home.hubs.start({ endsWith: "cursor (pid 10)" });
    const { logFile } = hubPlaceOf(home.scorpioxDir);
    const { stdout } = await home.run("hub status --json");
    const report = JSON.parse(stdout) as { hub: { residentBytes: number } };
    const log = home.tree.relative(logFile);
    expect(report).toMatchObject({
      mode: "auto",
      problem: null,
      hub: { ...status, pid, log, endsWith: "cursor (pid 10)" },
    });
    if (process.platform === "linux") expect(report.hub.residentBytes).toBeGreaterThan(1_000_000);
  });

  test("says with whom it ends, and that new clients use none", async () => {
    await using home = new HubHome();
    await home.hubs.start({ ...nobody, endsWith: "cursor (pid 10)" });
    home.tree.put(envFile, "HUB=off\n");
    const { stdout } = await home.run("hub status");
    expect(stdout).toContain(
      "! It ends with cursor (pid 10): it could not leave the process that started it.",
    );
    expect(stdout).toContain(
      "HUB=off (user: home/.scorpiox/scorpiox-env.txt:1): new clients do not use it",
    );
  });

  test.each([
    [
      "marks and colours on a terminal",
      { LANG: "C.UTF-8", TERM: "xterm" },
      "\u001b[32m\u2713\u001b[0m The hub runs",
    ],
    [
      "no colours with NO_COLOR",
      { LANG: "C.UTF-8", TERM: "xterm", NO_COLOR: "1" },
      "\u2713 The hub runs",
    ],
  ])("has %s", async (_, env, text) => {
    await using home = new HubHome();
    await home.hubs.start();
    const { stdout } = await home.run("hub status", { env, terminals: ["stdout"] });
    expect(stdout).toStartWith(text);
  });

  test("lets no text of another program begin a line or reach the terminal", async () => {
    await using home = new HubHome();
    const evil = "x\n+ good\u001b[2J";
    await home.hubs.start({
      clients: [{ pid: 1, name: evil, workspace: evil, sinceMs: 1, servers: 1 }],
      servers: [{ name: evil, state: evil, users: [], isolation: evil, workspace: evil }],
      kept: [{ ...status.kept[0], command: evil, workspace: evil, state: evil }],
      hints: [evil],
      endsWith: evil,
      version: evil,
    });
    const { stdout } = await home.run("hub status", {
      terminals: ["stdout"],
      env: { NO_COLOR: "1", TERM: "xterm" },
    });
    expect(stdout).not.toContain("\u001b");
    expect(stdout.split("\n").filter((line) => line.startsWith("+ good"))).toEqual([]);
  });

  test("fails when a hub runs and does not answer", async () => {
    await using home = new HubHome();
    const { pid } = await home.hubs.start({ silent: true });
    const { exitCode, stdout } = await home.run("hub status");
    expect([exitCode, stable(stdout, pid)]).toEqual([
      1,
      "x The hub (process PID) cannot be asked: The hub did not answer within 5000 ms.\n",
    ]);
  });

  test("fails when a hub runs and is stopped", async () => {
    await using home = new HubHome();
    const { pid } = await home.hubs.start();
    process.kill(pid, "SIGSTOP");
    const { exitCode, stdout } = await home.run("hub status");
    expect([exitCode, stable(stdout, pid)]).toEqual([
      1,
      "x The hub (process PID) cannot be asked: it does not answer.\n",
    ]);
  });

  test("names hubs of other builds, and leaves out what has ended", async () => {
    await using home = new HubHome();
    const { name } = hubPlaceOf(home.scorpioxDir);
    const other = name.replace(/^hub-[0-9a-f]+/, "hub-0123456789ab");
    const dead = name.replace(/^hub-[0-9a-f]+/, "hub-00000000dead");
    const { pid } = await home.hubs.start({}, other);
    const gone = await home.hubs.start({}, dead);
    gone.kill("SIGKILL");
    await gone.exited;
    const { others } = await home.json("hub status");
    expect(others).toMatchObject([{ pid, log: `home/.scorpiox/run/${other}/log` }]);
    const { stdout } = await home.run("hub status");
    expect(stdout).toContain(`runs as process ${pid} since`);
    expect(stdout).toContain("It ends with its clients");
  });
});

describe.if(posix)("hub stop", () => {
  test("has nothing to end where none runs", async () => {
    await using home = new HubHome();
    expect(await home.run("hub stop")).toMatchObject({
      exitCode: 0,
      stdout: "",
      stderr: "scorpiox-code: No hub is running.\n",
    });
    expect(await home.json("hub stop")).toEqual({ pid: null, clients: 0, servers: 0, kept: 0 });
  });

  test("ends the hub and says with what, and returns when its process has gone", async () => {
    await using home = new HubHome();
    const child = await home.hubs.start({ kept: [] });
    const { exitCode, stderr } = await home.run("hub stop");
    expect([exitCode, stable(stderr, child.pid)]).toEqual([
      0,
      "scorpiox-code: The hub (process PID) has ended, with 1 MCP server. 2 clients used it and may start another one.\n",
    ]);
    expect(await child.exited).toBe(0);
    expect(findHubs(home.scorpioxDir)[0]?.isAlive).toBe(false);
  });

  test("ends nothing while a kept task is running, unless it ends these too", async () => {
    await using home = new HubHome();
    const child = await home.hubs.start();
    const { exitCode, stderr } = await home.run("hub stop");
    expect([exitCode, stderr]).toEqual([
      1,
      "scorpiox-code: error: Nothing was ended: 1 kept task is running. End each with KillBgTask, or all of them with: scorpiox-code hub stop --kept\n",
    ]);
    expect(findHubs(home.scorpioxDir)[0]?.isAlive).toBe(true);
    expect(await home.json("hub stop --kept")).toEqual({
      pid: child.pid,
      clients: 2,
      servers: 1,
      kept: 1,
    });
    expect(await child.exited).toBe(0);
  });

  test("is refused to what a server has started", async () => {
    await using home = new HubHome();
    await home.hubs.start(nobody);
    const { exitCode } = await home.run("hub stop", { startedByServer: "a sign" });
    expect(exitCode).toBe(1);
    expect(findHubs(home.scorpioxDir)[0]?.isAlive).toBe(true);
  });
});
