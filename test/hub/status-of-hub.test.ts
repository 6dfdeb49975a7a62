import { describe, expect, test } from "bun:test";

import type { LookAt, ProcessLook } from "../../src/commands/process/process-origin.ts";
import {
  residentBytesOf,
  residentBytesOfGroups,
  serviceThatEnds,
  starterIn,
  statusOfHub,
} from "../../src/hub/status-of-hub.ts";
import type { SessionFacts } from "../../src/hub/upstream-sessions.ts";
import type { ServerInfo } from "../../src/upstream/server-state.ts";
import { until } from "../commands/process/until.ts";

function info(more: Partial<ServerInfo> & Pick<ServerInfo, "name">): ServerInfo {
  return { pid: null, state: "cached", ...more } as ServerInfo;
}

function rowsOf(sessions: readonly SessionFacts[]): readonly unknown[] {
  const facts = { startedAt: 1, build: "b", log: "/log", endsWith: undefined, kept: [] };
  const { servers } = statusOfHub({ ...facts, clients: [], sessions });
  return servers.map(({ name, pid, state, users, workspace, isolation }) => [
    name,
    pid,
    state,
    users,
    workspace,
    isolation,
  ]);
}

const session = (pid: number, projectDir: string, servers: ServerInfo[]): SessionFacts => ({
  pid,
  projectDir,
  servers,
});

test("a process is one row with all that use it, or would", () => {
  const ready = info({ name: "one", pid: 4_000_001, state: "ready", isolation: "shared" });
  const sessions = [
    session(11, "/p", [info({ name: "one" }), info({ name: "web" })]),
    session(12, "/p", [ready, info({ name: "web" })]),
    session(13, "/p", [ready]),
    session(14, "/q", [{ ...ready, pid: 4_000_002 }, info({ name: "web" })]),
  ];
  expect(rowsOf(sessions)).toEqual([
    ["one", 4_000_001, "ready", [12, 13, 11], "/p", "shared"],
    ["one", 4_000_002, "ready", [14], "/q", "shared"],
    ["web", undefined, "cached", [11, 12], "/p", ""],
    ["web", undefined, "cached", [14], "/q", ""],
  ]);
});

test.skipIf(process.platform !== "linux")(
  "a client is named after what has started it",
  async () => {
    await using child = Bun.spawn(["sh", "-c", "sleep 600 & echo $!; wait"], { stdout: "pipe" });
    const { value } = await child.stdout.getReader().read();
    const pid = Number(new TextDecoder().decode(value));
    const facts = { startedAt: 1, build: "b", log: "/log", endsWith: "a client", kept: [] };
    const clients = [
      { pid, sinceMs: 1 },
      { pid: 4_000_001, sinceMs: 2 },
    ];
    const status = statusOfHub({ ...facts, clients, sessions: [session(pid, "/p", [])] });
    process.kill(pid);
    expect(status.clients).toEqual([
      { pid, name: "sh", workspace: "/p", sinceMs: 1, servers: 0 },
      { pid: 4_000_001, sinceMs: 2, servers: 0 },
    ]);
    expect(status.endsWith).toBe("a client");
  },
);

const linuxTest = test.skipIf(process.platform !== "linux");

linuxTest("residentBytesOf() is the process's own, and unknown of one that is gone", async () => {
  const own = residentBytesOf(process.pid) ?? 0;
  expect(own / process.memoryUsage.rss()).toBeWithin(0.5, 2);
  const gone = Bun.spawn(["true"]);
  await gone.exited;
  expect(residentBytesOf(gone.pid)).toBeUndefined();
});

linuxTest("residentBytesOfGroups() has the children of a leader too", async () => {
  const leader = Bun.spawn(["sh", "-c", "sleep 600 & echo $!; wait"], {
    detached: true,
    stdout: "pipe",
  });
  const { value } = await leader.stdout.getReader().read();
  const child = Number(new TextDecoder().decode(value));
  const sums = residentBytesOfGroups([leader.pid, 1_999_999_999]);
  const [one = 0, other = 0] = [residentBytesOf(leader.pid), residentBytesOf(child)];
  expect([one > 0, other > 0, [...sums.keys()]]).toEqual([true, true, [leader.pid]]);
  expect((sums.get(leader.pid) ?? 0) / (one + other)).toBeWithin(0.5, 2);
  process.kill(-leader.pid, "SIGKILL");
  await leader.exited;
  await until(() => residentBytesOfGroups([leader.pid]).size === 0);
});

const plain: ProcessLook = {
  parentPid: 1,
  name: "scorpiox-code",
  hasTerminal: false,
  isMarked: false,
  isProduct: true,
};
const processes = (looks: Readonly<Record<number, Partial<ProcessLook>>>): LookAt => {
  return (pid) => (looks[pid] === undefined ? undefined : { ...plain, ...looks[pid] });
};

describe("starterIn()", () => {
  test.each<[what: string, starter: number, lookAt: LookAt | undefined, words: string | undefined]>(
    [
      ["a client's server has started it", 9, processes({ 9: {} }), undefined],
      ["its starter has ended already", 1, processes({ 1: {} }), undefined],
      ["nobody knows the processes", 9, undefined, undefined],
      [
        "its starter carries the mark of a command",
        9,
        processes({ 9: { isMarked: true } }),
        "process 9",
      ],
      ["a server is above its starter", 9, processes({ 9: { parentPid: 5 }, 5: {} }), "process 5"],
    ],
  )("%s", (_, starter, lookAt, words) => {
    expect(starterIn(starter, lookAt)).toBe(words);
  });
});

describe("serviceThatEnds()", () => {
  test.each([
    [
      "a service of the user",
      "0::/user.slice/user@1.service/app.slice/code.service",
      "code.service",
    ],
    ["a service of the system", "0::/system.slice/code.service\n", "code.service"],
    [
      "a service, with two hierarchies",
      "2:cpu:/\n1:name=systemd:/system.slice/a.service\n0::/\n",
      "a.service",
    ],
    [
      "a scope of its own",
      "0::/user.slice/user@1.service/app.slice/scorpiox-hub-1.scope",
      undefined,
    ],
    ["a session", "0::/user.slice/user-1.slice/session-3.scope", undefined],
    ["the user's manager", "0::/user.slice/user-1.slice/user@1.service", undefined],
    ["a container", "0::/", undefined],
    ["a system without them", "", undefined],
  ])("%s", (_, cgroups, unit) => {
    expect(serviceThatEnds(cgroups)).toBe(unit);
  });
});
