import { describe, expect, setDefaultTimeout, test } from "bun:test";
import {
  chmodSync,
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeSync,
} from "node:fs";

import { hookOutputBytesMax } from "../../src/base/limits.ts";
import { faultyBinary, productBinary } from "./harness/binary.ts";
import { canBeSomebody } from "./harness/bounded-server.ts";
import { eventually } from "./harness/conditions.ts";
import { HttpServer } from "./harness/http-server.ts";
import { HttpSession } from "./harness/http-session.ts";
import { envelope, isError, metaKeys, textOf } from "./harness/messages.ts";
import { posixTest, testMsMax } from "./harness/platform.ts";
import { allGone, residentBytes, sleepers, uniqueSeconds } from "./harness/processes.ts";
import {
  Server,
  testEnvironment,
  type ServerMessage,
  type ServerOptions,
} from "./harness/server.ts";
import { TempFolder } from "./harness/temp-folder.ts";
import { atThisLoad } from "../fixtures/at-this-load.ts";
import { isLongRun } from "../fixtures/long-run.ts";

setDefaultTimeout(testMsMax);

/** A home with hooks, and a project in it. */
class Hooked implements Disposable {
  readonly home = new TempFolder();
  readonly project = this.home.folder("work/project");

  constructor() {
    this.home.folder("work/project/.git");
  }

  user(key: string, script: string): string {
    return this.home.write(`.scorpiox/hooks/${key}`, `#!/bin/sh\n${script}\n`, 0o755);
  }

  ofProject(key: string, script: string): string {
    const path = `work/project/.scorpiox/hooks/${key}`;
    return this.home.write(path, `#!/bin/sh\n${script}\n`, 0o755);
  }

  start(more: Partial<ServerOptions> = {}): Server {
    return new Server({ home: this.home, cwd: this.project, ...more });
  }

  /** Runs a command to its end. */
  run(...args: readonly string[]): { readonly exitCode: number | null; readonly out: string } {
    const done = Bun.spawnSync([productBinary, ...args], {
      cwd: this.project,
      env: testEnvironment(this.home.path),
      stdin: "ignore",
    });
    return { exitCode: done.exitCode, out: done.stdout.toString() + done.stderr.toString() };
  }

  /** A command that appends its words to a file of which `lines` gives the lines; after a call it does nothing. */
  note(words: string): string {
    return `[ "$SX_PHASE" = post ] || echo ${words} >> ${this.home.at("notes")}`;
  }

  get lines(): readonly string[] {
    if (!existsSync(this.home.at("notes"))) return [];
    return readFileSync(this.home.at("notes"), "utf8").trim().split("\n");
  }

  [Symbol.dispose](): void {
    this.home[Symbol.dispose]();
  }
}

describe("hooks of a call", () => {
  posixTest("[hooks.order] run in their order, the call among them", async () => {
    using hooked = new Hooked();
    for (const key of ["tool_use/sync-10", "tool_use/sync-9", "session_start/sync-a"]) {
      hooked.user(key, hooked.note(`${key} $1`));
    }
    hooked.ofProject("tool_use/sync-1", hooked.note("project"));
    hooked.user(
      "tool_use/beside",
      `until [ -e ${hooked.home.at("called")} ]; do sleep 0.02; done; ${hooked.note("beside")}`,
    );
    hooked.user("session_end/a", hooked.note("end"));
    expect(hooked.run("hooks", "approve", "--yes").exitCode).toBe(0);
    await using server = hooked.start();
    await server.initialize();
    const command = `${hooked.note("call")}; touch ${hooked.home.at("called")}`;
    expect(isError(await server.call("Bash", { command }))).toBe(false);
    await eventually("the hook beside", () => hooked.lines.includes("beside"));
    server.endInput();
    await server.ended();
    expect(hooked.lines).toEqual([
      "session_start/sync-a session_start",
      "tool_use/sync-9 tool_use",
      "tool_use/sync-10 tool_use",
      "project",
      "call",
      "beside",
      "end",
    ]);
    const sessions = hooked.home.at(".scorpiox/sessions");
    expect(readdirSync(sessions).length).toBe(1);
  });

  posixTest("[hooks.veto] a sync hook stops a call with its reason", async () => {
    using hooked = new Hooked();
    const read = `json=$4; case $json in @*) json=$(cat "\${json#@}");; esac`;
    const guard = `case $json in *sudo*) echo "no sudo"; exit 3;; esac`;
    hooked.user("tool_use/sync-guard", `${read}; ${guard}`);
    hooked.user("tool_use/after", hooked.note("after"));
    await using server = hooked.start();
    await server.initialize();
    const reply = await server.call("Bash", { command: "sudo touch made" });
    expect(isError(reply)).toBe(true);
    expect(textOf(reply)).toBe(
      "Bash was not called: the hook tool_use/sync-guard (user) ended with exit code 3. It says:\nno sudo",
    );
    const long = await server.call("Bash", { command: `: ${"x".repeat(200_000)}; sudo ls` });
    expect(textOf(long)).toContain("no sudo");
    expect(textOf(await server.call("Bash", { command: "echo fine" }))).toBe("fine\n");
    await eventually("the other hook", () => hooked.lines.length > 0);
    expect(hooked.lines).toEqual(["after"]);
  });

  posixTest("[hooks.refused] a guard that may not be run stops calls until it may", async () => {
    using hooked = new Hooked();
    const path = hooked.user("tool_use/sync-guard", hooked.note("asked"));
    chmodSync(path, 0o777);
    await using server = hooked.start();
    await server.initialize();
    const call = (): Promise<ServerMessage> => server.call("Bash", { command: "echo ran" });
    const stopped = await call();
    expect([isError(stopped), textOf(stopped)]).toEqual([
      true,
      "Bash was not called: the hook tool_use/sync-guard (user) could not be run: everybody may write to it: chmod o-w.",
    ]);
    const listed = hooked.run("hooks", "list").out;
    expect(listed).toContain(
      "everybody may write to it: chmod o-w; until then it stops what it guards",
    );
    chmodSync(path, 0o755);
    await eventually("the next look", async () => textOf(await call()) === "ran\n");
    expect(hooked.lines).toEqual(["asked"]);
  });

  test.skipIf(!canBeSomebody)(
    "[hooks.refused] a user who is not root, whose commands are limited before they start, is told why too",
    async () => {
      using hooked = new Hooked();
      hooked.home.write(".scorpiox/hooks/tool_use/sync-guard", "#!/no/such/thing\n", 0o755);
      Bun.spawnSync(["chown", "-R", "65534:65534", hooked.home.path]);
      const wrap = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
      await using server = hooked.start({ wrap });
      await server.initialize();
      const stopped = await server.call("Bash", { command: "echo ran" });
      expect(textOf(stopped)).toBe(
        "Bash was not called: the hook tool_use/sync-guard (user) could not be run: its first line names /no/such/thing, which cannot be run: install it, or change that line.",
      );
    },
  );

  posixTest("[hooks.json] says by JSON what is to become of a call and of its result", async () => {
    using hooked = new Hooked();
    const script = [
      'case "$SX_PHASE $4" in',
      `pre*mine*) echo '{"updated_arguments":{"command":"echo yours"}}' ;;`,
      `pre*never*) echo looking; echo '{"decision":"deny","reason":"not on Fridays"}' ;;`,
      `pre*perhaps*) echo '{"decision":"ask","reason":"who knows"}' ;;`,
      `pre*badly*) echo '{"updated_arguments":{"command":7}}' ;;`,
      `post*secret*) echo '{"updated_result":{"content":[{"type":"text","text":"***"}]}}' ;;`,
      "post*warn*) echo hm; exit 1 ;;",
      "esac",
    ];
    hooked.user("tool_use/sync-a", script.join("\n"));
    const rules = [{ tool: "Bash", command: ["echo yours"], action: "deny" }];
    await using server = hooked.start();
    await server.initialize();
    const bash = async (word: string): Promise<string> =>
      textOf(await server.call("Bash", { command: `echo ${word}` }));
    expect(await bash("mine")).toBe("yours\n");
    expect(await bash("never")).toBe(
      "Bash was not called: the hook tool_use/sync-a (user) denied it. It says:\nnot on Fridays",
    );
    expect(await bash("perhaps")).toContain("Bash was not run: the hook tool_use/sync-a (user)");
    expect(await bash("badly")).toContain("command");
    expect(await bash("secret")).toBe("***");
    expect(await bash("warn")).toBe(
      "warn\nWarning: the hook tool_use/sync-a (user) ended with exit code 1 after the call. It says:\nhm",
    );
    hooked.home.write(".scorpiox/policy.jsonc", JSON.stringify({ rules }));
    await eventually("the rules count", async () => !(await bash("mine")).startsWith("yours"));
    expect(await bash("mine")).toContain("Bash was not run");
  });

  posixTest("[hooks.json] has the user asked, once, about the call as it is made", async () => {
    using hooked = new Hooked();
    const script = `echo '{"decision":"ask","updated_arguments":{"command":"echo yours"}}'`;
    hooked.user("tool_use/sync-a", `[ "$SX_PHASE" = post ] || ${script}; ${hooked.note("ran")}`);
    await using server = hooked.start();
    await server.initialize();
    const _meta = { ...envelope, [metaKeys.capabilities]: { elicitation: { form: {} } } };
    const call = (more: object): Promise<ServerMessage> =>
      server.request("tools/call", {
        name: "Bash",
        arguments: { command: "echo mine" },
        _meta,
        ...more,
      });
    const { result } = await call({});
    expect(JSON.stringify(result)).toContain("echo yours");
    expect(textOf(await call(answerTo(result, "Allow once")))).toBe("yours\n");
    expect(hooked.lines).toEqual(["ran"]);
  });

  posixTest("[hooks.timeout] one that never ends is ended, and nothing is called", async () => {
    using hooked = new Hooked();
    const seconds = uniqueSeconds();
    hooked.user("tool_use/sync-hang", `setsid sleep ${seconds} & sleep ${seconds}`);
    await using server = hooked.start({ env: { SCORPIOX_HOOKS_TIMEOUT: "1" } });
    await server.initialize();
    const reply = await server.call("Bash", { command: "echo called" });
    expect(textOf(reply)).toBe(
      "Bash was not called: the hook tool_use/sync-hang (user) was still running after 1 s and was ended.",
    );
    await allGone(`sleep ${seconds}`);
  });

  posixTest("[hooks.cancel] a cancelled call ends its hook", async () => {
    using hooked = new Hooked();
    const seconds = uniqueSeconds();
    hooked.user("tool_use/sync-slow", `sleep ${seconds}`);
    await using server = hooked.start();
    await server.initialize();
    const params = { name: "Bash", arguments: { command: hooked.note("called") } };
    const id = server.start("tools/call", params, "slow");
    await eventually("the hook runs", () => sleepers(seconds) > 0);
    server.notify("notifications/cancelled", { requestId: id });
    await allGone(`sleep ${seconds}`);
    await server.request("ping");
    expect([hooked.lines, server.messages.filter((message) => message.id === id)]).toEqual([
      [],
      [],
    ]);
  });

  posixTest("[hooks.rounds] hooks of a call that asks run once", async () => {
    using hooked = new Hooked();
    hooked.user("tool_use/sync-a", hooked.note("$1"));
    hooked.user("mcp_call/sync-a", hooked.note("$1"));
    await using server = hooked.start({ binary: faultyBinary });
    const _meta = { ...envelope, [metaKeys.capabilities]: { elicitation: { form: {} } } };
    const params = { name: "AskingGreet", arguments: {}, _meta };
    const { result } = await server.request("tools/call", params);
    expect(result?.["resultType"]).toBe("input_required");
    expect(hooked.lines).toEqual(["tool_use"]);
    const inputResponses = { reply: { action: "accept", content: { name: "Ada" } } };
    const { requestState } = result ?? {};
    const again = await server.request("tools/call", { ...params, inputResponses, requestState });
    expect(textOf(again)).toBe("Hello, Ada");
    expect(hooked.lines).toEqual(["tool_use"]);
    await server.request("tools/call", params);
    expect(hooked.lines).toEqual(["tool_use", "tool_use"]);
  });

  posixTest("[hooks.rounds] a call that needs consent first runs them after it, once", async () => {
    using hooked = new Hooked();
    hooked.user("tool_use/sync-a", hooked.note("$1"));
    const rules = [{ tool: "AskingGreet", action: "ask" }];
    hooked.home.write(".scorpiox/policy.jsonc", JSON.stringify({ rules }));
    await using server = hooked.start({ binary: faultyBinary });
    const _meta = { ...envelope, [metaKeys.capabilities]: { elicitation: { form: {} } } };
    const call = (more: object): Promise<ServerMessage> =>
      server.request("tools/call", { name: "AskingGreet", arguments: {}, _meta, ...more });
    const consent = (await call({})).result;
    expect([consent?.["resultType"], hooked.lines]).toEqual(["input_required", []]);
    const asked = (await call(answerTo(consent, "Allow once"))).result;
    expect([asked?.["resultType"], hooked.lines]).toEqual(["input_required", ["tool_use"]]);
    const reply = await call(answerTo(asked, "Ada"));
    expect([textOf(reply), hooked.lines]).toEqual(["Hello, Ada", ["tool_use"]]);
  });

  posixTest("[hooks.none] without hooks nothing of theirs is made", async () => {
    using hooked = new Hooked();
    await using server = hooked.start();
    await server.initialize();
    await server.call("Bash", { command: "echo fine" });
    const made = existsSync(hooked.home.at(".scorpiox"))
      ? readdirSync(hooked.home.at(".scorpiox"))
      : [];
    expect(made.filter((name) => /hook|session/.test(name))).toEqual([]);
  });
});

/** What a client brings along that fills in the first field of each form. */
function answerTo(result: ServerMessage["result"], value: string): object {
  const requests = result?.["inputRequests"] as Readonly<Record<string, FormRequest>>;
  const answers = Object.entries(requests).map(([key, { params }]) => {
    const [field = ""] = Object.keys(params.requestedSchema.properties);
    return [key, { action: "accept", content: { [field]: value } }] as const;
  });
  return { inputResponses: Object.fromEntries(answers), requestState: result?.["requestState"] };
}

interface FormRequest {
  readonly params: { readonly requestedSchema: { readonly properties: object } };
}

describe("many hooks and hooks that misbehave", () => {
  posixTest("[hooks.many] hundreds that flood delay no call and are bounded", async () => {
    using hooked = new Hooked();
    const count = isLongRun ? 200 : 20;
    // Each takes a line of it: hundreds that looked for a file again and again would keep the processors busy.
    const held = hooked.home.at("held");
    Bun.spawnSync(["mkfifo", held]);
    const flood = `cat ${hooked.home.write("flood", "x".repeat(4 * hookOutputBytesMax))}`;
    for (let index = 1; index <= count; index++) {
      hooked.user(`tool_use/${index}`, `${flood}; read -r _ < ${held}; ${hooked.note("done")}`);
    }
    await using server = hooked.start();
    await server.initialize();
    await server.call("Bash", { command: "echo first" });
    expect(textOf(await server.call("Bash", { command: "echo second" }))).toBe("second\n");
    expect(hooked.lines).toEqual([]);
    const opened = openSync(held, "r+");
    writeSync(opened, "\n".repeat(1_000));
    await eventually("all have run", () => hooked.lines.length === 2 * count, 30_000);
    expect(residentBytes(server.pid)).toBeLessThan(400_000_000);
    closeSync(opened);
  });

  posixTest("[hooks.exit] the server ends in time, with its hooks", async () => {
    using hooked = new Hooked();
    const seconds = uniqueSeconds();
    const stubborn = `trap '' TERM; setsid sleep ${seconds} & while :; do sleep ${seconds}; done`;
    for (const key of ["tool_use/a", "session_end/sync-a", "session_end/b"])
      hooked.user(key, stubborn);
    await using server = hooked.start();
    await server.initialize();
    await server.call("Bash", { command: "echo fine" });
    await eventually("the hook runs", () => sleepers(seconds) > 0);
    const begunAt = performance.now();
    server.endInput();
    expect(await server.ended()).toBe(0);
    // What was promised is 2 s; a busy machine gets some more.
    expect(performance.now() - begunAt).toBeLessThan(atThisLoad(3_000));
    await allGone(`sleep ${seconds}`);
  });

  posixTest("[hooks.depth] a hook that calls a tool does not do so for ever", async () => {
    using hooked = new Hooked();
    const call = `"$SX_BIN" call Bash command='echo deep'`;
    const depth = hooked.note("$SX_HOOK_DEPTH");
    hooked.user("tool_use/sync-a", `[ "$SX_PHASE" = pre ] || exit 0; ${depth}; ${call} || exit 1`);
    const { exitCode, out } = hooked.run("call", "Bash", "command=echo top");
    expect([exitCode, out.includes("top")]).toEqual([0, true]);
    expect(hooked.lines).toEqual(["1", "2", "3"]);
  });
});

describe("hooks of a project", () => {
  posixTest("[hooks.approval] run after approval, and not when they were changed", async () => {
    using hooked = new Hooked();
    hooked.ofProject("tool_use/sync-a", hooked.note("first"));
    await using server = hooked.start();
    await server.initialize();
    const call = async (): Promise<readonly string[]> => {
      await server.call("Bash", { command: "echo fine" });
      return hooked.lines;
    };
    expect(await call()).toEqual([]);
    await eventually("it is said", () => server.stderr.includes("is not approved"));
    const asked = hooked.run("hooks", "approve");
    expect([asked.exitCode, asked.out.includes("sha256")]).toEqual([4, true]);
    expect(await call()).toEqual([]);
    expect(hooked.run("hooks", "approve", "--yes").exitCode).toBe(0);
    expect(await call()).toEqual(["first"]);
    hooked.ofProject("tool_use/sync-a", hooked.note("changed"));
    expect(await call()).toEqual(["first"]);
    expect(hooked.run("hooks", "list").out).toMatch(/tool_use\/sync-a +project +sync +changed/);
    expect(hooked.run("hooks", "approve", "--yes", "tool_use/sync-a").exitCode).toBe(0);
    expect(await call()).toEqual(["first", "changed"]);
    expect(hooked.run("hooks", "revoke").exitCode).toBe(0);
    expect(await call()).toEqual(["first", "changed"]);
  });

  posixTest.each([
    ["the environment", true, { SCORPIOX_HOOKS_ENABLED: "false" }, ""],
    ["a file of the user", true, {}, ".scorpiox"],
    ["a file of the project", false, {}, "work/project/.scorpiox"],
  ])("[hooks.off] %s switches them off: %p", async (_where, isOff, env, folder) => {
    using hooked = new Hooked();
    hooked.user("tool_use/sync-a", "exit 1");
    if (folder !== "") hooked.home.write(`${folder}/scorpiox-env.txt`, "HOOKS_ENABLED=off\n");
    await using server = hooked.start({ env });
    await server.initialize();
    const text = textOf(await server.call("Bash", { command: "echo fine" }));
    expect(text === "fine\n").toBe(isOff);
  });
});

describe("other events", () => {
  posixTest("[hooks.session] over HTTP a session begins with its first call and ends", async () => {
    using hooked = new Hooked();
    const events = ["session_start", "tool_use", "session_end"];
    for (const event of events) {
      const note = `printf '%s %s\\n' "$1" "$4" >> ${hooked.home.at("notes")}`;
      hooked.user(`${event}/sync-a`, `[ "$SX_PHASE" = post ] || ${note}`);
    }
    await using server = await HttpServer.start({ home: hooked.home, cwd: hooked.project });
    const session = await HttpSession.open(server.client, "2025-11-25", {});
    await session.call("Bash", { command: "echo fine" });
    await session.end();
    await eventually("the end", () => hooked.lines.length > 2);
    expect(hooked.lines.map((line) => line.split(" ")[0])).toEqual(events);
    // Other users of the machine see command lines.
    expect(hooked.lines.join("\n")).not.toContain(session.id);
    expect(hooked.lines.map((line) => /"client":"session:[\da-f]{16}"/.test(line))).not.toContain(
      false,
    );
  });

  posixTest("[hooks.session] over HTTP sessions end with the server", async () => {
    using hooked = new Hooked();
    hooked.user("session_end/sync-a", hooked.note("$1 a"));
    hooked.user("session_end/b", hooked.note("$1 b"));
    const told = async (): Promise<readonly string[]> => {
      rmSync(hooked.home.at("notes"), { force: true });
      await using server = await HttpServer.start({ home: hooked.home, cwd: hooked.project });
      const session = await HttpSession.open(server.client, "2025-11-25", {});
      await session.call("Bash", { command: "echo fine" });
      expect(hooked.lines).toEqual([]);
      server.signal("SIGTERM");
      expect(await server.ended()).toBe(0);
      return hooked.lines;
    };
    // They have 0.7 s, which two shells in a row may not start in where all processors are busy.
    const lines = await eventually("a server whose hooks had the time", async () => {
      const all = await told();
      return all.length === 2 && all;
    });
    expect(lines).toEqual(["session_end a", "session_end b"]);
  });

  posixTest("[hooks.events] what happens to a background task is told", async () => {
    using hooked = new Hooked();
    hooked.user("background/sync-a", `printf '%s\\n' "$4" >> ${hooked.home.at("notes")}`);
    await using server = hooked.start();
    await server.initialize();
    await server.call("BackgroundBash", { command: "exit 3" });
    await eventually("start and end", () => hooked.lines.length === 2);
    const told = hooked.lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    const task = { clientId: "stdio", taskId: 1, command: "exit 3" };
    const sorted = told.toSorted((a, b) => String(a["change"]).localeCompare(String(b["change"])));
    expect(sorted).toEqual([
      { ...task, change: "ended", exitCode: 3 },
      { ...task, change: "started", exitCode: null },
    ]);
  });

  posixTest("a call of the command line leaves its hooks their time", () => {
    using hooked = new Hooked();
    hooked.user("tool_use/a", `sleep 0.3; ${hooked.note("beside")}`);
    expect(hooked.run("call", "Bash", "command=echo fine").out).toBe("fine\n");
    expect(hooked.lines).toEqual(["beside"]);
  });

  posixTest("hooks emit runs them and tells how they ended", () => {
    using hooked = new Hooked();
    hooked.user("deployed/sync-a", 'echo "got $4 at $(basename "$SX_CWD")"');
    hooked.user("deployed/b", "exit 2");
    const { exitCode, out } = hooked.run("hooks", "emit", "deployed", '{"version":1}');
    expect(exitCode).toBe(1);
    expect(out.replaceAll(/\d+ ms/g, "N ms")).toBe(
      "deployed/sync-a (user) ended with exit code 0, N ms\n" +
        '  got {"version":1} at project\n' +
        "deployed/b (user) ended with exit code 2, N ms\n",
    );
  });
});
