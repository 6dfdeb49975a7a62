import { afterAll, beforeAll, describe, expect } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { hookArgumentBytesMax, hookFileBytesMax } from "../../../../src/base/limits.ts";
import { HookApprovals } from "../../../../src/calls/policy/hooks/hook-approvals.ts";
import type { Hook, HookEnd } from "../../../../src/calls/policy/hooks/hook.ts";
import { HookPayload, HookRunner } from "../../../../src/calls/policy/hooks/hook-runner.ts";
import { readHooks, surveyHooks } from "../../../../src/calls/policy/hooks/read-hooks.ts";
import { SupervisorHarness } from "../../../commands/background/supervisor-harness.ts";
import { posixTest } from "../../../e2e/harness/platform.ts";
import { allGone, sleepers, uniqueSeconds } from "../../../e2e/harness/processes.ts";
import { eventually } from "../../../e2e/harness/conditions.ts";
import { HooksTree } from "./hooks-tree.ts";

let real: SupervisorHarness;
beforeAll(() => void (real = new SupervisorHarness()));
afterAll(() => real[Symbol.asyncDispose]());

interface RunOptions {
  readonly json?: string;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

class Harness implements Disposable {
  readonly tree = new HooksTree();
  readonly approvals = new HookApprovals(this.tree.scorpioxDir, this.tree.projectDir);
  readonly folder = join(this.tree.root, "session");

  constructor() {
    mkdirSync(this.folder);
  }

  /** Approves all that is there. */
  async approve(): Promise<void> {
    const found = await surveyHooks(this.tree.folders, this.approvals);
    const project = found.filter(({ row }) => row.scope === "project");
    const digests = project.map(
      ({ row }) => [`${row.event}/${row.name}`, row.sha256 ?? ""] as const,
    );
    await this.approvals.write(new Map(digests));
  }

  async states(): Promise<readonly string[]> {
    const found = await surveyHooks(this.tree.folders, this.approvals);
    return found.map(({ row }) => `${row.name} ${row.state}`);
  }

  /** Runs the first hook that there is, as it is now. */
  async run(options: RunOptions = {}): Promise<HookEnd> {
    return this.start(await this.first(), options);
  }

  async first(): Promise<Hook> {
    const found = await Promise.all(
      this.tree.folders.map((folder) => readHooks(folder, "tool_use")),
    );
    const hook = found.flat().find((finding) => finding.kind === "hook");
    if (hook?.kind !== "hook") throw new Error("there is no hook");
    return hook.hook;
  }

  async start(hook: Hook, options: RunOptions): Promise<HookEnd> {
    const runner = new HookRunner({
      runProgram: (spec) => real.supervisor.runProgram(spec),
      environment: () => Promise.resolve({ PATH: "/usr/local/bin:/usr/bin:/bin", FROM: "user" }),
      ownEnvironment: { SX_HOOK_DEPTH: "1" },
      programs: () => ({
        platform: "linux",
        bash: undefined,
        find: (name) => Bun.which(name) ?? undefined,
      }),
      approvals: this.approvals,
    });
    const folder = (): Promise<string> => Promise.resolve(this.folder);
    await using payload = new HookPayload(options.json ?? '{"tool":"Bash"}', folder);
    return await runner.run(hook, {
      sessionId: "session",
      time: "2026-01-02T03:04:05.006Z",
      cwd: this.tree.projectDir,
      payload,
      folder,
      timeoutMs: options.timeoutMs ?? 5_000,
      signal: options.signal ?? new AbortController().signal,
    });
  }

  [Symbol.dispose](): void {
    this.tree[Symbol.dispose]();
  }
}

describe("HookRunner", () => {
  posixTest("tells the hook what happened by arguments and environment", async () => {
    using harness = new Harness();
    const script = `printf '%s\\n' "$@"; pwd; env | grep -E '^(SX_|FROM)' | sort; cat; exit 7`;
    harness.tree.user("tool_use/a", `#!/bin/sh\n${script}\n`);
    const { output, ...end } = await harness.run();
    expect(end).toEqual({
      state: "failed",
      how: "ended with exit code 7",
      exitCode: 7,
      durationMs: expect.any(Number),
    });
    expect(output.split("\n")).toEqual([
      "tool_use",
      "session",
      "2026-01-02T03:04:05.006Z",
      '{"tool":"Bash"}',
      harness.tree.projectDir,
      "FROM=user",
      `SX_CWD=${harness.tree.projectDir}`,
      "SX_EVENT=tool_use",
      `SX_HOOKS_DIR=${join(harness.tree.scorpioxDir, "hooks")}`,
      "SX_HOOK_DEPTH=1",
      "SX_SESSION_ID=session",
    ]);
  });

  posixTest.each([
    ["no first line, executable", "tool_use/a", "echo ran $0", 0o755],
    ["no first line, not executable", "tool_use/a.sh", "echo ran $0", 0o644],
    ["python", "tool_use/a.py", "print('ran')", 0o644],
    ["its own first line", "tool_use/a.py", "#!/bin/sh\necho ran", 0o755],
  ])("starts a script with %s", async (_what, key, text, mode) => {
    using harness = new Harness();
    harness.tree.user(key, `${text}\n`, mode);
    const { state, output } = await harness.run();
    expect([state, output.slice(0, 3)]).toEqual(["done", "ran"]);
  });

  posixTest.each([
    [hookArgumentBytesMax, false],
    [hookArgumentBytesMax + 1, true],
    [5_000_000, true],
  ])("%p bytes of JSON come by a private file: %p", async (bytes, byFile) => {
    using harness = new Harness();
    const script = `case $4 in @*) stat -c %a "\${4#@}"; wc -c < "\${4#@}";; *) printf %s "$4" | wc -c;; esac`;
    harness.tree.user("tool_use/a", `#!/bin/sh\n${script}\n`);
    const { output } = await harness.run({ json: `"${"x".repeat(bytes - 2)}"` });
    expect(output.split("\n")).toEqual(byFile ? ["600", `${bytes}`] : [`${bytes}`]);
    expect(readdirSync(harness.folder)).toEqual([]);
  });

  posixTest.each([
    ["a crash", "kill -9 $$", "failed", "was ended by SIGKILL"],
    [
      "no interpreter",
      "#! /no/such/thing -x",
      "not_started",
      /^could not be run: its first line names \/no\/such\/thing, which cannot be run: [^.]*$/,
    ],
    [
      "line ends of another system",
      "#!/bin/sh\r\nexit 0\r",
      "not_started",
      /^could not be run: its first line ends with a carriage return: [^.]*$/,
    ],
  ])("%s is a failure", async (_what, text, state, how) => {
    using harness = new Harness();
    harness.tree.user("tool_use/a", text.startsWith("#!") ? text : `#!/bin/sh\n${text}\n`);
    const end = await harness.run();
    const expected = typeof how === "string" ? how : expect.stringMatching(how);
    expect([end.state, end.how]).toEqual([state, expected]);
  });

  posixTest("a hook that never ends is asked, then forced, with all that it started", async () => {
    using harness = new Harness();
    const seconds = uniqueSeconds();
    const script = `trap 'echo asked' TERM; setsid sleep ${seconds} & sleep ${seconds} & while :; do wait; done`;
    harness.tree.user("tool_use/a", `#!/bin/sh\n${script}\n`);
    const begunAt = performance.now();
    const end = await harness.run({ timeoutMs: 200 });
    expect(end).toMatchObject({
      state: "timed_out",
      how: "was still running after 0.2 s and was ended",
      output: "asked",
    });
    expect(performance.now() - begunAt).toBeGreaterThan(2_000);
    await allGone(`sleep ${seconds}`);
  });

  posixTest("a cancelled hook is ended", async () => {
    using harness = new Harness();
    const seconds = uniqueSeconds();
    harness.tree.user("tool_use/a", `#!/bin/sh\nsleep ${seconds}\n`);
    const controller = new AbortController();
    const running = harness.run({ signal: controller.signal });
    await eventually("it runs", () => sleepers(seconds) > 0);
    controller.abort();
    expect((await running).state).toBe("cancelled");
    await allGone(`sleep ${seconds}`);
  });

  posixTest("a daemon ends with its hook", async () => {
    using harness = new Harness();
    const seconds = uniqueSeconds();
    harness.tree.user("tool_use/a", `#!/bin/sh\nsetsid sleep ${seconds} > /dev/null 2>&1 &\n`);
    expect((await harness.run()).state).toBe("done");
    await allGone(`sleep ${seconds}`);
  });

  posixTest("of a flood the two ends are kept", async () => {
    using harness = new Harness();
    const script = "echo first; head -c 50000000 /dev/zero | tr '\\\\0' x; echo; echo last";
    harness.tree.user("tool_use/a", `#!/bin/sh\n${script}\n`);
    const { state, output } = await harness.run();
    expect(state).toBe("done");
    expect(output.startsWith("first\n")).toBe(true);
    expect(output.endsWith("\nlast")).toBe(true);
    expect(output).toMatch(/\n\[\d+ bytes left out\]\n/);
    expect(output.length).toBeLessThan(66_000);
  });
});

describe("hooks of a project", () => {
  posixTest("run after approval, and not any more when they were changed", async () => {
    using harness = new Harness();
    const path = harness.tree.project("tool_use/a", "#!/bin/sh\necho first\n");
    expect((await harness.run()).how).toBe("is not approved");
    expect(await harness.states()).toEqual(["a not approved"]);
    await harness.approve();
    expect(await harness.states()).toEqual(["a ready"]);
    expect((await harness.run()).output).toBe("first");
    writeFileSync(path, "#!/bin/sh\necho other\n");
    expect((await harness.run()).how).toBe("was changed after its approval");
    expect(await harness.states()).toEqual(["a changed"]);
    writeFileSync(path, "#!/bin/sh\necho first\n");
    expect((await harness.run()).output).toBe("first");
    await harness.approvals.write(new Map());
    expect((await harness.run()).state).toBe("held");
  });

  posixTest("another name needs another approval, and so does another project", async () => {
    using harness = new Harness();
    const path = harness.tree.project("tool_use/a", "#!/bin/sh\n");
    await harness.approve();
    renameSync(path, join(path, "../sync-a"));
    expect((await harness.run()).state).toBe("held");
    const elsewhere = new HookApprovals(harness.tree.scorpioxDir, harness.tree.root);
    expect(await elsewhere.read()).toEqual(new Map());
  });

  posixTest("what runs is a private copy of what was looked at, gone afterwards", async () => {
    using harness = new Harness();
    // The file is replaced while the hook that was started from it still runs.
    const script = `#!/bin/sh\necho "$0"; echo "echo bad" > "$SX_HOOKS_DIR/tool_use/a"; echo good\n`;
    harness.tree.project("tool_use/a", script);
    await harness.approve();
    const [path = "", ...lines] = (await harness.run()).output.split("\n");
    expect(path.startsWith(harness.folder)).toBe(true);
    expect(lines).toEqual(["good"]);
    expect(existsSync(path)).toBe(false);
    expect((await harness.run()).how).toBe("was changed after its approval");
  });

  posixTest("many start at the same time", async () => {
    using harness = new Harness();
    harness.tree.project("tool_use/a", "#!/bin/sh\necho ran\n");
    await harness.approve();
    const hook = await harness.first();
    const ends = await Promise.all(Array.from({ length: 40 }, () => harness.start(hook, {})));
    expect(ends.map(({ output }) => output)).toEqual(Array.from({ length: 40 }, () => "ran"));
  });

  posixTest.each([
    [hookFileBytesMax, "done"],
    [hookFileBytesMax + 1, "not_started"],
  ])("%p bytes: %s", async (bytes, state) => {
    using harness = new Harness();
    harness.tree.project("tool_use/a", "exit 0\n".padEnd(bytes, "#"));
    if (state === "done") await harness.approve();
    expect((await harness.run()).state).toBe(state as HookEnd["state"]);
  });

  posixTest.each(["", "{", "[]", '{"hooks":null}', '{"hooks":{"tool_use/a":1}}'])(
    "an approval file with %p approves nothing",
    async (text) => {
      using harness = new Harness();
      harness.tree.project("tool_use/a", "#!/bin/sh\n");
      await harness.approve();
      const folder = join(harness.tree.scorpioxDir, "approved-hooks");
      const [name = ""] = readdirSync(folder);
      chmodSync(join(folder, name), 0o600);
      writeFileSync(join(folder, name), text);
      expect((await harness.run()).state).toBe("held");
    },
  );
});
