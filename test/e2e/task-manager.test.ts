import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync, renameSync, rmSync, statSync } from "node:fs";

import { eventually } from "./harness/conditions.ts";
import { onlyMessage } from "./harness/http-client.ts";
import { HttpServer } from "./harness/http-server.ts";
import { isError, modern, structuredOf, textOf } from "./harness/messages.ts";
import { testMsMax } from "./harness/platform.ts";
import { contentsText, isUpdateOf } from "./harness/resources.ts";
import { productBinary } from "./harness/binary.ts";
import { Server, type ServerMessage, testEnvironment } from "./harness/server.ts";
import { TempFolder } from "./harness/temp-folder.ts";

setDefaultTimeout(testMsMax);

const uri = "scorpiox://tasks";

function create(server: Server, text: string): Promise<ServerMessage> {
  return server.call("TaskManager", { action: "create", query: "", text });
}

async function textsIn(server: Server): Promise<string[]> {
  const reply = await server.call("TaskManager", { action: "list", query: "" });
  return (structuredOf(reply)["tasks"] as { text: string }[]).map(({ text }) => text);
}

async function startIn(home: TempFolder, args: readonly string[] = []): Promise<Server> {
  const server = new Server({ home, args });
  await server.initialize();
  return server;
}

function command(home: TempFolder, args: readonly string[], stdin = ""): string {
  const { stdout } = Bun.spawnSync([productBinary, ...args], {
    cwd: home.path,
    env: testEnvironment(home.path),
    stdin: Buffer.from(stdin),
  });
  return stdout.toString();
}

describe("tasks", () => {
  test("[taskmanager.kept] survive a restart, are those of the workspace, and count up", async () => {
    using home = new TempFolder();
    {
      await using first = await startIn(home);
      await create(first, "a");
      await first.call("TaskManager", { action: "add", query: "", text: "step" });
    }
    await using second = await startIn(home);
    await using third = await startIn(home);
    await using other = await startIn(home, ["--workspace", "other"]);
    expect(structuredOf(await create(second, "b"))).toMatchObject({ currentTaskId: 2, total: 2 });
    const text = textOf(await third.call("TaskManager", { action: "list" }));
    expect(text.split("\n")).toEqual([
      "[ ] task 1: a (0 of 1 steps done)",
      "    [ ] step 1: step",
      "[ ] task 2: b (current)",
      "2 tasks, 2 pending; current: task 2.",
    ]);
    expect(await textsIn(other)).toEqual([]);
  });

  test("[taskmanager.kept] are those of each principal over HTTP", async () => {
    const tokens = { laptop: "laptop-0123456789abcdef", reader: "reader-0123456789abcdef" };
    await using http = await HttpServer.start({
      tokens: Object.entries(tokens).map(([name, token]) => `${name} ${token}`),
    });
    const callAs = async (token: string, args: object): Promise<unknown> => {
      const call = { name: "TaskManager", arguments: { query: "", ...args } };
      const answer = await http.client.withToken(token).modern("tools/call", call);
      return structuredOf(onlyMessage(answer))["total"];
    };
    const create = { action: "create", text: "a" };
    const totals = [
      await callAs(tokens.laptop, create),
      await callAs(tokens.reader, create),
      await callAs(tokens.laptop, create),
      await callAs(tokens.reader, { action: "list" }),
    ];
    expect(totals).toEqual([1, 1, 2, 1]);
  });

  test("[taskmanager.together] of many servers at once are all kept, with ids of their own", async () => {
    using home = new TempFolder();
    const servers = await Promise.all([0, 1, 2].map(() => startIn(home)));
    const replies = await Promise.all(
      servers.flatMap((server) =>
        Array.from({ length: 10 }, (_, place) => create(server, `${server.pid}-${place}`)),
      ),
    );
    const ids = replies.map((reply) => structuredOf(reply)["currentTaskId"] as number);
    expect(ids.sort((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, place) => place + 1));
    const [server] = servers;
    expect(server === undefined ? [] : await textsIn(server)).toHaveLength(30);
    for (const one of servers) await one[Symbol.asyncDispose]();
  });

  test("[taskmanager.kill-9] that were acknowledged are there after kill -9", async () => {
    using home = new TempFolder();
    const kept: string[] = [];
    for (let run = 0; run < 3; run += 1) {
      const server = await startIn(home);
      server.onMessage((message) => {
        if (message.result !== undefined) kept.push(String(message.id));
      });
      for (let place = 0; place < 60; place += 1) {
        const text = `${run}-${place}`;
        const args = { action: "create", query: "", text };
        server.start("tools/call", { name: "TaskManager", arguments: args }, text);
      }
      await server.reply(`${run}-${20 * run}`);
      server.signal("SIGKILL");
      await server.ended().catch(() => undefined);
    }
    await using server = await startIn(home);
    const texts = new Set(await textsIn(server));
    const asked = kept.filter((id) => id.includes("-"));
    expect(asked.length).toBeGreaterThan(40);
    expect(asked.filter((text) => !texts.has(text))).toEqual([]);
  });

  test("[taskmanager.transfer] go out as JSON and come in again", async () => {
    using home = new TempFolder();
    await using server = await startIn(home);
    await create(server, "a");
    const exported = command(home, ["tasks", "export"]);
    command(home, ["tasks", "import", "-"], exported);
    expect(await textsIn(server)).toEqual(["a", "a"]);
    const listed = JSON.parse(command(home, ["tasks", "list", "--json"])) as { total: number };
    expect(listed.total).toBe(2);
  });
});

describe("the file", () => {
  test.each([
    ["by the first call or before it", false],
    ["long before the first call", true],
  ])(
    "[taskmanager.damaged] is set aside when it is damaged, %s: the reply and stderr say so",
    async (_when, isWaitedFor) => {
      using home = new TempFolder();
      home.write(".scorpiox/scorpiox.db", "no database ".repeat(1_000));
      const aside = (): string[] =>
        readdirSync(home.at(".scorpiox")).filter((name) => name.includes(".damaged-"));
      await using server = await startIn(home);
      if (isWaitedFor) await eventually("a file set aside", () => server.stderr.includes("aside"));
      const reply = await create(server, "after");
      expect(aside()).toHaveLength(1);
      const notice = `it was set aside as ${home.at(".scorpiox", aside()[0] ?? "")}`;
      expect([textOf(reply), server.stderr]).toEqual([
        expect.stringContaining(notice),
        expect.stringContaining(notice),
      ]);
      expect(await textsIn(server)).toEqual(["after"]);
    },
  );

  test("[taskmanager.damaged] that was removed under a running server is begun anew, and said", async () => {
    using home = new TempFolder();
    await using server = await startIn(home);
    await create(server, "before");
    rmSync(home.at(".scorpiox"), { recursive: true });
    expect(textOf(await create(server, "after"))).toContain("was removed while it was in use");
    expect(command(home, ["tasks", "list"])).toBe("[ ] 1. after (current)\n");
  });

  test("[taskmanager.refused] in a folder that cannot be used is named, and tried again", async () => {
    using home = new TempFolder();
    home.write(".scorpiox", "in the way");
    await using server = await startIn(home);
    const refused = await create(server, "a");
    expect([isError(refused), textOf(refused)]).toEqual([
      true,
      expect.stringContaining(
        `${home.at(".scorpiox")} must be a folder: move the file in its place away`,
      ),
    ]);
    renameSync(home.at(".scorpiox"), home.at("moved"));
    expect(isError(await create(server, "b"))).toBe(false);
  });
});

describe("a task that nobody changes", () => {
  const home = new TempFolder();
  let server: Server;
  beforeAll(async () => {
    server = await startIn(home);
    await create(server, "a");
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    home[Symbol.dispose]();
  });

  test.skipIf(process.platform === "win32")(
    "[taskmanager.private] its file and all beside it are private",
    async () => {
      const modes = readdirSync(home.at(".scorpiox")).map((name) => [
        name,
        statSync(home.at(".scorpiox", name)).mode & 0o077,
      ]);
      expect(modes.filter(([name]) => String(name).includes(".db")).length).toBe(3);
      expect(modes.filter(([, others]) => others !== 0)).toEqual([]);
    },
  );

  test("[taskmanager.resource] of it is listed at once and read as JSON", async () => {
    const read = contentsText(await server.request("resources/read", { uri }));
    expect(JSON.parse(read)).toEqual({
      tasks: [{ taskId: 1, text: "a", isDone: false, steps: [], stepCount: 0, stepsDone: 0 }],
      leftOut: 0,
      currentTaskId: 1,
      total: 1,
      pending: 1,
      notices: [],
    });
  });
});

describe("the resource", () => {
  test("[taskmanager.resource] tells legacy subscribers of changes here and in another process", async () => {
    using home = new TempFolder();
    await using server = await startIn(home);
    await using other = await startIn(home);
    await create(other, "before");
    expect((await server.request("resources/subscribe", { uri })).result).toEqual({});
    await server.request("resources/read", { uri });
    const updates = (): number => server.messages.filter(isUpdateOf(uri)).length;
    const updated = async (count: number): Promise<void> => {
      await server.message(`update ${count}`, () => updates() >= count);
    };
    await create(other, "elsewhere");
    await updated(1);
    await create(server, "here");
    await updated(2);
    await server.request("resources/unsubscribe", { uri });
    await create(server, "unheard");
    expect(updates()).toBe(2);
  });

  test("[taskmanager.resource] tells modern subscribers, of their own tasks only", async () => {
    using home = new TempFolder();
    await using server = new Server({ home });
    server.start(
      "subscriptions/listen",
      modern({ notifications: { resourceSubscriptions: [uri] } }),
    );
    await server.message(
      "the acknowledgement",
      ({ method }) => method === "notifications/subscriptions/acknowledged",
    );
    await server.request("resources/read", modern({ uri }));
    await using stranger = new Server({ home, args: ["--workspace", "other"] });
    const args = { name: "TaskManager", arguments: { action: "create", query: "", text: "a" } };
    await stranger.request("tools/call", modern(args));
    await server.request("tools/call", modern(args));
    await server.message("an update", isUpdateOf(uri));
    expect(server.messages.filter(isUpdateOf(uri))).toHaveLength(1);
  });
});
