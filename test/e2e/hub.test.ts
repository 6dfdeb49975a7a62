import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { productBinary } from "./harness/binary.ts";
import { eventually } from "./harness/conditions.ts";
import { isError, textOf } from "./harness/messages.ts";
import { testMsMax } from "./harness/platform.ts";
import { processesWith } from "./harness/processes.ts";
import { Server, type ServerMessage, testEnvironment } from "./harness/server.ts";
import { TempFolder } from "./harness/temp-folder.ts";
import { upstreamHome } from "./harness/upstream-home.ts";
import { onlyLong } from "../fixtures/long-run.ts";

setDefaultTimeout(testMsMax);

type Environment = Readonly<Record<string, string | undefined>>;

/** As a user has it who has set nothing. */
const usual: Environment = { SCORPIOX_HUB: undefined, SCORPIOX_HUB_IDLE: "1" };

/** A client's server in a project of that name, with its lists complete. */
async function clientIn(home: TempFolder, project = "project", env: Environment = {}) {
  const cwd = join(home.path, project);
  mkdirSync(join(cwd, ".git"), { recursive: true });
  const server = new Server({ home, cwd, env: { ...usual, ...env } });
  await server.initialize();
  return server;
}

async function endAll(servers: readonly Server[]): Promise<void> {
  await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()));
}

/** Process ids of the hubs of this home. */
function hubsOf(home: TempFolder): readonly number[] {
  return processesWith("__hub")
    .filter(({ command }) => command.includes(`${home.path}/.scorpiox`))
    .map(({ pid }) => pid);
}

async function oneHub(home: TempFolder): Promise<number> {
  return eventually("one hub", () => {
    const [pid, ...others] = hubsOf(home);
    return others.length === 0 ? pid : undefined;
  });
}

async function nothingLeft(home: TempFolder): Promise<void> {
  await eventually("the end of all processes", () => processesWith(home.path).length === 0);
}

/** Each reply's text. Waits for servers that are only starting. */
async function answersOf(servers: readonly Server[], tool: string): Promise<readonly string[]> {
  return Promise.all(
    servers.map((server) =>
      eventually(`${tool} of process ${server.pid}`, async () => {
        const reply = await server.call(tool);
        return reply.error === undefined && !isError(reply) && textOf(reply);
      }),
    ),
  );
}

const pidScript = { tools: ["pid", "echo", "hang"] };

describe("[hub.one] clients that start at once in one project", () => {
  test("have one hub, one process of each server, and leave nothing", async () => {
    using home = upstreamHome({ one: [pidScript], two: [{ ...pidScript, name: "two" }] });
    const servers = await Promise.all(Array.from({ length: 3 }, () => clientIn(home)));
    const ones = await answersOf(servers, "mcp__one__pid");
    const twos = await answersOf(servers, "mcp__two__pid");
    expect([new Set(ones).size, new Set(twos).size]).toEqual([1, 1]);
    await oneHub(home);
    await endAll(servers);
    await nothingLeft(home);
  });
});

describe("[hub.not-wanted] no hub is started", () => {
  const servers = { one: [pidScript] } as const;
  const cases: [what: string, servers: Parameters<typeof upstreamHome>[0], env: Environment][] = [
    ["without upstream servers", {}, {}],
    ["with HUB=off", servers, { SCORPIOX_HUB: "off" }],
    ["in CI", servers, { CI: "true" }],
    ["by a process that a server has started", servers, { SCORPIOX_OWNER: "abc.1" }],
  ];
  test.each(cases)("%s", async (_, entries, env) => {
    using home = upstreamHome(entries);
    const server = await clientIn(home, "project", env);
    await server.request("tools/list");
    if ("one" in entries) await answersOf([server], "mcp__one__pid");
    else await server.call("Bash", { command: "true" });
    expect(hubsOf(home)).toEqual([]);
    await server[Symbol.asyncDispose]();
  });

  test("by a command, which uses one that is there", async () => {
    using home = upstreamHome(servers);
    const call = async (): Promise<string> => {
      const child = Bun.spawn([productBinary, "call", "mcp__one__pid"], {
        cwd: join(home.path, "project"),
        env: { ...testEnvironment(home.path), SCORPIOX_HUB: "auto" },
        stdio: ["ignore", "pipe", "pipe"],
      });
      return child.stdout.text();
    };
    mkdirSync(join(home.path, "project", ".git"), { recursive: true });
    const alone = await call();
    expect([alone, hubsOf(home)]).toEqual([expect.stringMatching(/\d/), []]);
    const server = await clientIn(home);
    const [pid = ""] = await answersOf([server], "mcp__one__pid");
    expect((await call()).trim()).toBe(pid);
    await server[Symbol.asyncDispose]();
  });
});

describe("[hub.death] when the hub is gone", () => {
  // By SIGTERM it ends as `hub stop` ends it.
  const endings: readonly NodeJS.Signals[] = [
    "SIGKILL",
    "SIGSTOP",
    ...onlyLong(["SIGTERM"] as const),
  ];
  test.each(endings)("by %s, each client is answered again, each request once", async (signal) => {
    using notes = new TempFolder();
    const logFile = notes.at("log");
    using home = upstreamHome({ one: [{ ...pidScript, logFile }] });
    const servers = await Promise.all([clientIn(home), clientIn(home)]);
    await answersOf(servers, "mcp__one__pid");
    const listed = await Promise.all(servers.map((server) => server.request("tools/list")));
    const replies = servers.map((server) => countReplies(server));
    const hanging = servers.map((server) =>
      server.start("tools/call", { name: "mcp__one__hang", arguments: {} }),
    );
    // One that reaches its client later than that is made with the next hub, and hangs there.
    await eventually(
      "the calls at the server",
      () => readFileSync(logFile, "utf8").split('"name":"hang"').length > servers.length,
    );
    const lists: ServerMessage[] = [];
    process.kill(await oneHub(home), signal);
    const texts = await Promise.all(
      servers.map(async (server, at) => {
        lists.push(await server.request("tools/list"));
        return textOf(await server.reply(hanging[at] ?? 0));
      }),
    );
    for (const text of texts) expect(text).toMatch(/^one: The hub was lost: .* may have happened/);
    await answersOf(servers, "mcp__one__pid");
    for (const list of lists) expect(list.result).toEqual(listed[0]?.result);
    await oneHub(home);
    for (const [at, counts] of replies.entries()) {
      expect([
        counts.get(hanging[at] ?? 0),
        [...counts.values()].some((count) => count > 1),
      ]).toEqual([1, false]);
    }
    await endAll(servers);
    await nothingLeft(home);
  });
});

/** Replies by the id of their request. */
function countReplies(server: Server): ReadonlyMap<string | number, number> {
  const counts = new Map<string | number, number>();
  server.onMessage(({ id, method }) => {
    if (id === undefined || id === null || method !== undefined) return;
    counts.set(id, (counts.get(id) ?? 0) + 1);
  });
  return counts;
}

test("[hub.stays] a client that is killed disturbs no other", async () => {
  using home = upstreamHome({ one: [pidScript] });
  const [first, second] = await Promise.all([clientIn(home), clientIn(home)]);
  const before = await answersOf([first, second], "mcp__one__pid");
  first.signal("SIGKILL");
  await first.exited;
  expect(await answersOf([second], "mcp__one__pid")).toEqual(before.slice(1));
  await second[Symbol.asyncDispose]();
  await nothingLeft(home);
});

test.skipIf(process.getuid?.() === 0)(
  "[hub.fault] a folder that may not be written leads to servers of the client's own, and one line",
  async () => {
    using home = upstreamHome({ one: [pidScript] });
    const run = join(home.path, ".scorpiox", "run");
    mkdirSync(run, { recursive: true });
    chmodSync(run, 0o500);
    const server = await clientIn(home);
    await answersOf([server], "mcp__one__pid");
    expect(server.stderr.split("\n").filter((line) => line.includes("hub"))).toHaveLength(1);
    await server[Symbol.asyncDispose]();
    chmodSync(run, 0o700);
  },
);

test("[hub.fault] a file in the folder's place leads to servers of the client's own, and one line", async () => {
  using home = upstreamHome({ one: [pidScript] });
  home.write(".scorpiox/run", "no folder");
  const server = await clientIn(home);
  await answersOf([server], "mcp__one__pid");
  expect(hubsOf(home)).toEqual([]);
  const lines = server.stderr.split("\n").filter((line) => line.includes("hub"));
  expect(lines).toEqual([
    expect.stringMatching(
      /^scorpiox-code: The hub cannot be used, so this process runs its MCP servers itself: no folder /,
    ),
  ]);
  await server[Symbol.asyncDispose]();
});

test("[hub.projects] clients of different projects share what says so, and nothing else", async () => {
  using home = upstreamHome({
    plain: [{ ...pidScript, name: "plain" }],
    wide: [{ ...pidScript, name: "wide" }, { isolation: "shared" }],
  });
  const servers = await Promise.all([clientIn(home, "one"), clientIn(home, "two")]);
  const plain = await answersOf(servers, "mcp__plain__pid");
  const wide = await answersOf(servers, "mcp__wide__pid");
  expect([new Set(plain).size, new Set(wide).size]).toEqual([2, 1]);
  await oneHub(home);
  await endAll(servers);
  await nothingLeft(home);
});

test("[hub.environment] a variable that a server inherits keeps clients apart, others do not", async () => {
  using home = upstreamHome({ one: [pidScript, { inherit_env: ["TENANT"] }] });
  const servers = await Promise.all([
    clientIn(home, "project", { TENANT: "a" }),
    clientIn(home, "project", { TENANT: "b" }),
    clientIn(home, "project", { TENANT: "a", TERM: "xterm", OTHER: "c" }),
  ]);
  const [first, second, third] = await answersOf(servers, "mcp__one__pid");
  expect([first === second, first === third]).toEqual([false, true]);
  await endAll(servers);
  await nothingLeft(home);
});
