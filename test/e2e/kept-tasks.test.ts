import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { eventually } from "./harness/conditions.ts";
import { Gate } from "./harness/gate.ts";
import { isError, textOf } from "./harness/messages.ts";
import { testMsMax } from "./harness/platform.ts";
import { processesWith } from "./harness/processes.ts";
import { Server } from "./harness/server.ts";
import { TempFolder } from "./harness/temp-folder.ts";
import { isLongRun } from "../fixtures/long-run.ts";

setDefaultTimeout(testMsMax);

type Environment = Readonly<Record<string, string | undefined>>;

/** As a user has it who has set nothing. */
const usual: Environment = { SCORPIOX_HUB: undefined, SCORPIOX_HUB_IDLE: "0", CI: undefined };

async function clientIn(home: TempFolder, project = "project", env: Environment = {}) {
  const cwd = join(home.path, project);
  mkdirSync(cwd, { recursive: true });
  const server = new Server({ home, cwd, env: { ...usual, ...env } });
  await server.initialize();
  return server;
}

async function killed(server: Server): Promise<void> {
  process.kill(server.pid, "SIGKILL");
  await server.exited;
}

function hubOf(home: TempFolder): number | undefined {
  const isOwn = ({ command }: { command: string }): boolean =>
    command.includes(`${home.path}/.scorpiox`);
  return processesWith("__hub").find(isOwn)?.pid;
}

async function nothingLeft(home: TempFolder): Promise<void> {
  await eventually("the end of all processes", () => processesWith(home.path).length === 0);
}

async function keep(server: Server, command: string): Promise<string> {
  const reply = await server.call("BackgroundBash", { command, keep: true });
  return textOf(reply);
}

/** The output without the line about the state. */
async function outputOf(server: Server, waitMs = 0): Promise<{ text: string; state: string }> {
  const read = textOf(await server.call("ReadBgOutput", { task_id: 1_001, wait_ms: waitMs }));
  const at = read.lastIndexOf("\n");
  const text = read.slice(0, at);
  return { text: text === "(no new output)" ? "" : `${text}\n`, state: read.slice(at + 1) };
}

const homes: TempFolder[] = [];
function newHome(): TempFolder {
  const home = new TempFolder();
  homes.push(home);
  return home;
}
afterAll(() => {
  for (const home of homes) home[Symbol.dispose]();
});

describe("[kept.outlives] a kept task", () => {
  test("goes on when its clients are killed, and each byte is read once", async () => {
    const home = newHome();
    let client = await clientIn(home);
    const lines = isLongRun ? 400 : 30;
    const command = `for i in $(seq ${lines}); do echo "line $i"; sleep 0.02; done; exit 4`;
    expect(await keep(client, command)).toContain("task_id: 1001");
    let text = "";
    for (let state = ""; !state.includes("failed");) {
      await killed(client);
      client = await clientIn(home);
      const read = await outputOf(client, 200);
      text += read.text;
      state = read.state;
    }
    text += (await outputOf(client)).text;
    const printed = Array.from({ length: lines }, (_, index) => `line ${index + 1}\n`).join("");
    expect(text).toBe(printed);
    await client[Symbol.asyncDispose]();
    await nothingLeft(home);
  });
});

describe("[kept.hub-death] the hub is killed", () => {
  test("the task goes on, and the next hub has its exit code", async () => {
    const home = newHome();
    using gate = new Gate();
    const client = await clientIn(home);
    await keep(client, `${gate.command("begun", "done")}; exit 6`);
    expect((await outputOf(client, 10_000)).text).toBe("begun\n");
    process.kill(hubOf(home)!, "SIGKILL");
    expect(textOf(await client.call("ListBgTasks"))).toContain("task_id 1001 (kept): running");
    gate.open();
    expect((await outputOf(client, 10_000)).text).toContain("done\n");
    await eventually("the end", async () =>
      textOf(await client.call("ListBgTasks")).includes("failed with exit code 6"),
    );
    await client[Symbol.asyncDispose]();
    await nothingLeft(home);
  });
});

describe("[kept.refused] no task is kept", () => {
  test.each([
    [{ SCORPIOX_BG_PERSIST: "0" }, "BG_PERSIST=0"],
    [{ SCORPIOX_HUB: "off" }, "kept tasks run under the hub, and HUB=off"],
    [{ CI: "1" }, 'CI is set, and HUB is not "on"'],
  ])("%j", async (env, reason) => {
    const home = newHome();
    await using client = await clientIn(home, "project", env);
    const reply = await client.call("BackgroundBash", { command: "sleep 1000", keep: true });
    expect([isError(reply), textOf(reply)]).toEqual([true, expect.stringContaining(reason)]);
    expect(hubOf(home)).toBeUndefined();
  });

  test("BG_PERSIST=1 keeps a command that does not say", async () => {
    const home = newHome();
    await using client = await clientIn(home, "project", { SCORPIOX_BG_PERSIST: "1" });
    expect(textOf(await client.call("BackgroundBash", { command: "true" }))).toContain("1001");
    const own = await client.call("BackgroundBash", { command: "true", keep: false });
    expect(textOf(own)).toContain("task_id: 1 ");
  });
});

describe("[kept.sandbox] a confined kept task", () => {
  test.skipIf(process.platform !== "linux")(
    "is confined after its client's end, and leaves nothing of its sandbox",
    async () => {
      const home = newHome();
      const tmp = join(home.path, "tmp");
      mkdirSync(tmp);
      const env = { SCORPIOX_SANDBOX: "workspace-write", TMPDIR: tmp };
      const project = join(home.path, "project");
      mkdirSync(join(project, ".git"), { recursive: true });
      const outside = join(home.path, "outside");
      const first = await clientIn(home, "project", env);
      const tries = `for f in ${outside} .git/hooks/x $TMPDIR/x here; do (: > $f) 2>/dev/null && echo "wrote $f"; done`;
      using gate = new Gate();
      const started = await keep(
        first,
        `${tries}; ${gate.wait}; ${tries}; ls ${home.path}/.scorpiox/kept`,
      );
      expect(started).toContain("sandbox: ");
      await outputOf(first, 10_000);
      await killed(first);
      const second = await clientIn(home, "project", env);
      // Another confined command ends meanwhile: stand-ins stay as long as the kept one needs them.
      await second.call("Bash", { command: "true" });
      gate.open();
      await eventually("the end", async () =>
        textOf(await second.call("ListBgTasks")).includes("exit"),
      );
      const all = textOf(await second.call("ReadBgOutput", { task_id: 1_001, wait_ms: 5_000 }));
      expect(all).not.toContain("outside");
      expect(all).not.toContain(".git/hooks");
      expect(all).toContain("wrote here");
      await second[Symbol.asyncDispose]();
      await nothingLeft(home);
      expect([existsSync(outside), readdirSync(tmp), readdirSync(join(project, ".git"))]).toEqual([
        false,
        [],
        [],
      ]);
    },
  );
});

describe("[kept.hooks] a task that ends", () => {
  test("after its client has its hooks run by the hub, once", async () => {
    const home = newHome();
    using gate = new Gate();
    const told = join(home.path, "told");
    const hooks = join(home.path, ".scorpiox/hooks/background");
    mkdirSync(hooks, { recursive: true });
    writeFileSync(join(hooks, "tell.sh"), `printf '%s\\n' "$4" >> ${told}\n`);
    const client = await clientIn(home);
    await keep(client, `${gate.wait}; exit 5`);
    const lines = (): readonly Record<string, unknown>[] =>
      // A line that is only half there, or not at all yet, is none.
      (existsSync(told) ? readFileSync(told, "utf8").split("\n").slice(0, -1) : []).map(
        (line) => JSON.parse(line) as Record<string, unknown>,
      );
    await eventually("the hook of the start", () => lines().length === 1);
    await killed(client);
    gate.open();
    await nothingLeft(home);
    expect(lines()).toMatchObject([
      { change: "started", taskId: 1_001 },
      { change: "ended", taskId: 1_001, exitCode: 5, clientId: "kept" },
    ]);
  });
});

describe("[kept.workspace] a client of another workspace", () => {
  test("has none of its tasks", async () => {
    const home = newHome();
    const client = await clientIn(home, "one");
    await using other = await clientIn(home, "two");
    await keep(client, "echo secret; sleep 1000");
    await outputOf(client, 10_000);
    expect(textOf(await other.call("ListBgTasks"))).toBe("No background tasks.");
    for (const tool of ["ReadBgOutput", "KillBgTask"]) {
      const reply = await other.call(tool, { task_id: 1_001 });
      expect([isError(reply), textOf(reply)]).toEqual([
        true,
        expect.stringContaining("has the id 1001"),
      ]);
    }
    const ended = await client.call("KillBgTask", { task_id: 1_001 });
    expect(textOf(ended)).toContain("Task 1001: killed");
    await client[Symbol.asyncDispose]();
  });
});
