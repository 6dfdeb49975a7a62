import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename } from "node:path";

import { eventually } from "./harness/conditions.ts";
import { Gate } from "./harness/gate.ts";
import {
  contentOf,
  isError,
  modern,
  someLegacyVersions,
  textOf,
  wholeTextOf,
} from "./harness/messages.ts";
import { posixTest, testMsMax } from "./harness/platform.ts";
import { allGone, processesWith, sleepers, uniqueSeconds } from "./harness/processes.ts";
import { Server, type ServerMessage } from "./harness/server.ts";
import { atThisLoad } from "../fixtures/at-this-load.ts";
import { onlyLong } from "../fixtures/long-run.ts";
import { TempFolder } from "./harness/temp-folder.ts";
import { readOf, taskIdOf } from "./harness/told.ts";

setDefaultTimeout(testMsMax);

/** A command with a child, a grandchild that ignores TERM, and one in a session of its own. */
function family(seconds: string): string {
  return `sleep ${seconds} & (trap '' TERM; sleep ${seconds}; :) & setsid sleep ${seconds} & sleep ${seconds}`;
}

/** For tests of which none changes what another one sees: each looks at messages of its own request. */
let server: Server;
beforeAll(async () => {
  server = new Server();
  await server.initialize();
});
afterAll(() => server[Symbol.asyncDispose]());

function progressOf(token: string | number): ServerMessage[] {
  return server.messages.filter(({ params }) => params?.["progressToken"] === token);
}

function mentions(id: string | number): ServerMessage[] {
  return server.messages.filter((message) => {
    const { requestId, progressToken } = message.params ?? {};
    return message.id === id || requestId === id || progressToken === id;
  });
}

describe("cancellation", () => {
  posixTest.each([
    ["legacy", (params: Record<string, unknown>) => params],
    ["modern", (params: Record<string, unknown>) => modern(params)],
  ])("[cancel.group] ends all that the command started (%s)", async (era, shape) => {
    const seconds = uniqueSeconds();
    const params = shape({
      name: "Bash",
      arguments: { command: family(seconds), timeout: 60_000 },
    });
    const id = server.start("tools/call", params, `to-cancel-${era}`);
    await eventually("four sleepers", () => sleepers(seconds) >= 4);
    server.notify("notifications/cancelled", { requestId: id, reason: "test" });
    await allGone(`sleep ${seconds}`, 5_000);
    expect(mentions(id)).toEqual([]);
    expect((await server.request("ping")).result).toEqual({});
  });

  posixTest("[cancel.silence] after it no byte mentions the request or its token", async () => {
    const params = {
      name: "Bash",
      arguments: { command: "while :; do echo tick; sleep 0.05; done", timeout: 60_000 },
      _meta: { progressToken: "noisy" },
    };
    const id = server.start("tools/call", params, "noisy");
    await server.message("progress", ({ params: told }) => told?.["progressToken"] === "noisy");
    server.notify("notifications/cancelled", { requestId: id });
    await server.request("ping");
    const heard = mentions(id).length;
    // Longer than several ticks, and than the time in which a cancelled command is ended.
    await Bun.sleep(500);
    await server.request("ping");
    expect(mentions(id).length).toBe(heard);
    expect(server.messages.some((message) => message.id === id)).toBe(false);
  });

  posixTest("[cancel.unknown] of another type of id cancels nothing", async () => {
    const params = { name: "Bash", arguments: { command: "sleep 0.3; echo done" } };
    server.start("tools/call", params, 77);
    server.notify("notifications/cancelled", { requestId: "77" });
    expect(textOf(await server.reply(77))).toBe("done\n");
  });

  posixTest(
    "[cancel.waiting-read] a read that waits can be cancelled; nothing it saw is lost",
    async () => {
      const task = await server.call("BackgroundBash", {
        command: "echo early; sleep 0.5; echo late; sleep 30",
      });
      const args = { task_id: taskIdOf(task), wait_ms: 20_000, until: "never" };
      const id = server.start("tools/call", { name: "ReadBgOutput", arguments: args }, "reader");
      await Bun.sleep(100);
      server.notify("notifications/cancelled", { requestId: id });
      const read = await server.call("ReadBgOutput", { ...args, until: "late" });
      expect(readOf(read).output).toBe("early\nlate\n");
    },
  );
});

describe("progress", () => {
  posixTest(
    "[progress.lines] new lines come as they are printed, each once, in order",
    async () => {
      const command = "for i in 1 2 3 4 5 6; do echo line-$i; sleep 0.15; done";
      const params = { name: "Bash", arguments: { command }, _meta: { progressToken: "p" } };
      const reply = await server.reply(server.start("tools/call", params));
      const notes = progressOf("p");
      const heard = notes.map(({ params }) => String(params?.["message"])).join("\n");
      expect(heard.split("\n")).toEqual([1, 2, 3, 4, 5, 6].map((i) => `line-${i}`));
      const values = notes.map(({ params }) => Number(params?.["progress"]));
      expect(values).toEqual([...new Set(values)].sort((a, b) => a - b));
      expect(server.messages.at(-1)).toEqual(reply);
    },
  );

  posixTest("[progress.rate] a flood makes at most 10 notifications a second", async () => {
    const params = {
      name: "Bash",
      // More lines than could be told of, again and again, and a processor that others have between them.
      arguments: {
        command: "for i in $(seq 20); do yes flood | head -n 4000; sleep 0.05; done",
        timeout: 20_000,
      },
      _meta: { progressToken: 5 },
    };
    const startedAt = performance.now();
    await server.reply(server.start("tools/call", params), 20_000);
    const notes = progressOf(5);
    expect(notes.length).toBeGreaterThan(3);
    // One for each tenth of a second, and the last one before the reply.
    expect(notes.length).toBeLessThanOrEqual((performance.now() - startedAt) / 100 + 2);
  });

  test("[progress.token] none is sent without a token, nor with STREAMING=false", async () => {
    const call = async (asked: Server, meta: object): Promise<number> => {
      const before = asked.messages.length;
      const params = { name: "Bash", arguments: { command: "echo a; sleep 0.3; echo b" }, ...meta };
      await asked.reply(asked.start("tools/call", params));
      return asked.messages.slice(before).filter(({ method }) => method !== undefined).length;
    };
    expect(await call(server, {})).toBe(0);
    await using silent = new Server({ env: { SCORPIOX_STREAMING: "false" } });
    await silent.initialize();
    expect(await call(silent, { _meta: { progressToken: 1 } })).toBe(0);
  });

  posixTest(
    "[progress.heartbeat] a silent call with a token is heard of at least every 10 s",
    async () => {
      const params = {
        name: "Bash",
        arguments: { command: "sleep 10.8; echo done" },
        _meta: { progressToken: "quiet" },
      };
      const startedAt = performance.now();
      const id = server.start("tools/call", params);
      await server.message(
        "a heartbeat",
        ({ params: told }) => told?.["progressToken"] === "quiet",
      );
      expect(performance.now() - startedAt).toBeGreaterThan(8_500);
      // The command takes less than a heartbeat longer than that.
      expect(server.messages.filter((message) => message.id === id)).toEqual([]);
      expect(wholeTextOf(await server.reply(id))).toMatch(/^done\ntook 1\d\.\d s$/);
    },
    60_000,
  );
});

describe("hand-over", () => {
  let hurried: Server;
  beforeAll(async () => {
    hurried = new Server({ env: { SCORPIOX_CLIENT_BUDGET_MS: "1500" } });
    await hurried.initialize();
  });
  afterAll(() => hurried[Symbol.asyncDispose]());

  const numbers = (from: number, to: number): string[] =>
    Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index}`);

  posixTest(
    "[handover.bytes] answers within the budget, then every byte is read, once",
    async () => {
      // With the time for the lines on both sides of its end.
      await using own = new Server({ env: { SCORPIOX_CLIENT_BUDGET_MS: "2000" } });
      await own.initialize();
      const command = "for i in $(seq 1 30); do echo line $i; sleep 0.1; done; exit 3";
      const startedAt = performance.now();
      const reply = await own.call("Bash", { command, timeout: 60_000 });
      expect(performance.now() - startedAt).toBeLessThan(atThisLoad(2_500));
      expect(isError(reply)).toBe(false);
      const task_id = taskIdOf(reply);
      expect(textOf(reply)).toContain(`task_id: ${task_id}`);

      let output = textOf(reply).replace(/Still running after .*$/, "");
      let state: unknown = "running";
      while (state === "running") {
        const read = await own.call("ReadBgOutput", { task_id, wait_ms: 1_000 });
        output += readOf(read).output;
        state = readOf(read).state;
      }
      const last = await own.call("ReadBgOutput", { task_id });
      expect(readOf(last)).toEqual({ output: "", state: "failed", exitCode: 3 });
      expect(output.split("\n")).toEqual([...numbers(1, 30), ""]);
    },
  );

  posixTest("[handover.timeout] the command keeps its own timeout", async () => {
    const seconds = uniqueSeconds();
    const reply = await hurried.call("Bash", { command: `sleep ${seconds}`, timeout: 2_000 });
    const task_id = taskIdOf(reply);
    await allGone(`sleep ${seconds}`, 6_000);
    const read = await hurried.call("ReadBgOutput", { task_id, wait_ms: 500 });
    expect(readOf(read).state).toBe("timed_out");
  });

  posixTest("[handover.read-budget] a waiting read answers within the budget too", async () => {
    const task = await hurried.call("BackgroundBash", { command: "sleep 30" });
    const startedAt = performance.now();
    const read = await hurried.call("ReadBgOutput", { task_id: taskIdOf(task), wait_ms: 60_000 });
    expect(performance.now() - startedAt).toBeLessThan(atThisLoad(2_000));
    expect(readOf(read).state).toBe("running");
  });
});

describe("background tasks", () => {
  posixTest("[background.life] start, list, read, kill, and what a late kill says", async () => {
    await using own = new Server();
    await own.initialize();
    const seconds = uniqueSeconds();
    const task = await own.call("BackgroundBash", { command: `echo up; ${family(seconds)}` });
    const task_id = taskIdOf(task);
    expect(task_id).toBe(1);
    await eventually("four sleepers", () => sleepers(seconds) >= 4);
    expect(textOf(await own.call("ListBgTasks"))).toContain("running");
    expect(textOf(await own.call("ReadBgOutput", { task_id, wait_ms: 5_000 }))).toContain("up");
    const killed = await own.call("KillBgTask", { task_id });
    expect(readOf(killed).state).toBe("killed");
    expect(processesWith(`sleep ${seconds}`)).toEqual([]);
    expect(isError(await own.call("KillBgTask", { task_id }))).toBe(false);
    const unknown = await own.call("KillBgTask", { task_id: 99 });
    expect(isError(unknown)).toBe(true);
    expect(textOf(unknown)).toContain("99");
  });

  posixTest(
    "[background.lines] 2,000 lines are read in pieces, none lost, none twice",
    async () => {
      const command =
        "for i in $(seq 1 2000); do echo row-$i; [ $((i % 200)) = 0 ] && sleep 0.05; done";
      const task_id = taskIdOf(await server.call("BackgroundBash", { command }));
      let output = "";
      for (let state: unknown = "running"; state === "running";) {
        const read = await server.call("ReadBgOutput", { task_id, wait_ms: 2_000 });
        output += readOf(read).output;
        state = readOf(read).state;
      }
      const expected = Array.from({ length: 2000 }, (_, index) => `row-${index + 1}\n`).join("");
      expect(output).toBe(expected);
    },
  );
});

describe("what a command leaves", () => {
  posixTest(
    "[bash.nothing-left] nothing, when it ends; and the reply does not wait for it",
    async () => {
      const seconds = uniqueSeconds();
      const reply = await server.call("Bash", {
        command: `sleep ${seconds} & setsid sleep ${seconds} & echo done`,
      });
      expect(textOf(reply)).toMatch(
        /^done\nThe command left 2 processes running, which were ended\./,
      );
      await allGone(`sleep ${seconds}`, 3_000);
    },
  );

  posixTest("[bash.timeout] nothing, when it runs out of time", async () => {
    const seconds = uniqueSeconds();
    const reply = await server.call("Bash", { command: family(seconds), timeout: 500 });
    expect(isError(reply)).toBe(true);
    expect(textOf(reply)).toContain("timed out after 500 ms");
    await allGone(`sleep ${seconds}`, 5_000);
  });
});

describe("long results", () => {
  const command = "echo first; seq 1 20000; echo last";
  const whole = `first\n${Array.from({ length: 20_000 }, (_, index) => `${index + 1}\n`).join("")}last\n`;

  test.each([
    ["e2e", 30_000],
    ["claude-ai", 20_000],
    // Its name alone is read in test/config/client-limits.test.ts.
    ...onlyLong<[string, number]>([["claude-ai (via mcp-remote 0.1)", 20_000]]),
  ])(
    "[result.cut] %s gets at most %d characters and a private file with the whole",
    async (name, max) => {
      await using own = new Server();
      await own.initialize("2025-11-25", name);
      const reply = await own.call("Bash", { command });
      const text = textOf(reply);
      expect(text.length).toBeLessThanOrEqual(max + 500);
      expect(text.length).toBeGreaterThan(max * 0.8);
      const link = contentOf(reply).find(({ type }) => type === "resource_link");
      const file = `${basename(link?.uri ?? "")}.txt`;
      const path = own.home.at(".scorpiox", "results", file);
      // Compared as truth values: the texts would fill the screen.
      expect([text.startsWith("first\n"), text.endsWith("last\n")]).toEqual([true, true]);
      expect([...text.matchAll(/the whole output is in (\S+)/g)].map(([, named]) => named)).toEqual(
        [path],
      );
      expect(readFileSync(path, "utf8") === whole).toBe(true);
      if (process.platform === "win32") return;
      expect(statSync(path).mode & 0o777).toBe(0o600);
      expect(readdirSync(own.home.at(".scorpiox", "results"))).toHaveLength(1);
    },
  );

  // Without a link beside the text; the newest, which has one, is that of the tests above.
  test.each(someLegacyVersions.slice(0, -1))(
    "[result.cut] text within the limit under %s",
    async (version) => {
      await using own = new Server();
      await own.initialize(version);
      const [block] = contentOf(await own.call("Bash", { command }));
      expect(block?.text?.length).toBeLessThanOrEqual(30_500);
    },
  );
});

describe("many at once", () => {
  posixTest("[bash.parallel] 30 commands run side by side", async () => {
    using met = new TempFolder();
    using gate = new Gate();
    const calls = Array.from({ length: 30 }, (_, index) =>
      server.call("Bash", { command: `: > ${met.path}/$$; ${gate.wait}; echo ${index}` }),
    );
    // Each ends when all have begun.
    await eventually("all have begun", () => readdirSync(met.path).length === 30);
    gate.open();
    const replies = await Promise.all(calls);
    expect(replies.map((reply) => textOf(reply).split("\n")[0])).toEqual(
      Array.from({ length: 30 }, (_, index) => `${index}`),
    );
  });
});
