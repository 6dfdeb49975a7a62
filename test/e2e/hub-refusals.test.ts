import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { isLongRun } from "../fixtures/long-run.ts";
import { productBinary } from "./harness/binary.ts";
import { eventually } from "./harness/conditions.ts";
import { becoming, hubAttempts, hubVisitor, leaving } from "./harness/hub-attempts.ts";
import { isError, textOf } from "./harness/messages.ts";
import { testMsMax } from "./harness/platform.ts";
import { hasBubblewrap, hasLandlock } from "./harness/sandbox-yard.ts";
import { Server } from "./harness/server.ts";
import type { TempFolder } from "./harness/temp-folder.ts";
import { upstreamHome } from "./harness/upstream-home.ts";

setDefaultTimeout(2 * testMsMax);

const pidScript = { tools: ["pid"] };

/** Python itself: what is found by the name may be a script that looks for it each time, which takes longer than all else. */
const python =
  Bun.which("python3") === null
    ? ""
    : Bun.spawnSync(["python3", "-c", "import sys; print(sys.executable)"])
        .stdout.toString()
        .trim();

/** A server whose hub runs. */
async function withHub(home: TempFolder, env: Readonly<Record<string, string>>) {
  const cwd = join(home.path, "project");
  mkdirSync(join(cwd, ".git"), { recursive: true });
  const server = new Server({
    home,
    cwd,
    env: { SCORPIOX_HUB: "on", SCORPIOX_HUB_IDLE: "1", ...env },
  });
  await server.initialize();
  const sharedPid = await eventually("the server behind the hub", async () => {
    const reply = await server.call("mcp__one__pid");
    return reply.error === undefined && !isError(reply) && textOf(reply);
  });
  return { server, sharedPid };
}

/** The folder of the hub. */
function hubIn(home: TempFolder): string {
  const run = home.at(".scorpiox/run");
  const [name = ""] = readdirSync(run).filter((entry) => entry.startsWith("hub-"));
  return join(run, name);
}

interface HubRecord {
  readonly pid: number;
  readonly generation: number;
}
const recordOf = (folder: string): HubRecord =>
  JSON.parse(readFileSync(join(folder, "lock"), "utf8"));

/**
 * Without a sandbox they are judged by the hub itself; in one they end at the same few walls. The suite takes every second
 * one there, and a smaller share here.
 */
const attemptsOf = (isWalled: boolean): readonly string[] => {
  const step = isWalled ? 6 : 2;
  return isLongRun ? hubAttempts : hubAttempts.filter((_attempt, index) => index % step === 1);
};

/**
 * The attempts as one script: after each its number and exit code, and the lines that only a hub says.
 * @param sharedPid the process of the server behind the hub: a command that calls its tool gets another
 */
function scriptOf(
  attempts: readonly string[],
  hub: string,
  scripts: string,
  sharedPid: string,
): string {
  const lines = [
    `BIN=${productBinary} HUB=${hub} SCRIPTS=${scripts} PYTHON=${python}`,
    "export TMPDIR=$(mktemp -d)",
  ];
  for (const [index, attempt] of attempts.entries()) {
    lines.push(`{ ${attempt}; } > $TMPDIR/said 2>&1; echo "${index}: $?"`);
    lines.push(`grep -e REACHED -e '^[+✓]' -e '"hub": {' -e '^${sharedPid}$' $TMPDIR/said`);
  }
  return [...lines, "true"].join("\n");
}

const isLinux = process.platform === "linux";
const ways: [
  name: string,
  isThere: boolean,
  env: Readonly<Record<string, string>>,
  isPlan: boolean,
][] = [
  ["without a sandbox", true, {}, false],
  [
    "in bubblewrap",
    hasBubblewrap,
    { SCORPIOX_SANDBOX: "workspace-write", SCORPIOX_SANDBOX_BACKEND: "bubblewrap" },
    false,
  ],
  [
    "under Landlock",
    hasLandlock,
    { SCORPIOX_SANDBOX: "workspace-write", SCORPIOX_SANDBOX_BACKEND: "landlock" },
    false,
  ],
  ["in plan mode", hasBubblewrap || hasLandlock, {}, true],
];

/** The hub's reasons, as its log has them. */
const refusals = [/it runs another program/, /limit of file locks|carries the mark|has started it/];

describe("[hub.refused] no command of a server reaches the hub", () => {
  for (const [name, isThere, env, isPlan] of ways) {
    test.skipIf(!isLinux || !isThere || python === "")(name, async () => {
      using home = upstreamHome({ one: [pidScript, { policy: "allow" }] });
      const { server, sharedPid } = await withHub(home, env);
      const hub = hubIn(home);
      const before = recordOf(hub);
      for (const [file, text] of Object.entries({ visitor: hubVisitor, becoming, leaving })) {
        home.write(`scripts/${file}.py`, text);
      }
      const attempts = attemptsOf(isPlan || "SCORPIOX_SANDBOX" in env);
      home.write("project/attempts.sh", scriptOf(attempts, hub, home.at("scripts"), sharedPid));
      if (isPlan) await server.call("PlanMode", { action: "enter", goal: "look only" });
      const reply = await server.call("Bash", { command: "bash attempts.sh", timeout: 100_000 });
      const lines = textOf(reply).split("\n");
      const tried = lines.filter((line) => /^\d+: \d+$/.test(line));
      expect(tried).toHaveLength(attempts.length);
      expect(lines.filter((line) => !/^\d+: \d+$|^(took|sandbox:) |^$/.test(line))).toEqual([]);
      // It goes on, and serves its client.
      expect(recordOf(hub)).toEqual(before);
      expect(textOf(await server.call("mcp__one__pid"))).toBe(sharedPid);
      const log = readFileSync(join(hub, "log"), "utf8");
      const seen = refusals.filter((reason) => reason.test(log));
      // In a sandbox none of them gets as far as that.
      expect(seen).toEqual(name === "without a sandbox" ? refusals : []);
      await server[Symbol.asyncDispose]();
    });
  }
});
