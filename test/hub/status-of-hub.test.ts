import { expect, test } from "bun:test";

import { statusOfHub } from "../../src/hub/status-of-hub.ts";
import type { SessionFacts } from "../../src/hub/upstream-sessions.ts";
import type { ServerInfo } from "../../src/upstream/server-state.ts";

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
