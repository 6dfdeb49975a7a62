import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { findWaits } from "./find-waits.ts";

const absence = "nothing may come in this time: absence can only be waited for";
const aboutTime = "a time has to pass: the subject goes by the clock";
const slow = "plays something slow; nothing waits for it but the subject";
const spread = "spreads what races over a few milliseconds";
const packets = "lets a piece leave before the next: no side sees when";
const unseen = "no sign from outside that the subject has come to its wait";
const promised = "a time is promised, and wide at this load";
const lastResort = "a limit that a test which works never reaches";

/** File below `test/` → calls in it that wait for a time or assert one, each with its reason. */
const allowed: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "base/worker-channel/heartbeat.test.ts": {
    "Bun.sleepSync(50)": "holds the thread up, as the subject has to notice",
    "setTimeout(…, 1)": "lets timers run that are due",
  },
  "base/timer.test.ts": { "Bun.sleep(10)": absence },
  "calls/policy/audit/audit-log.test.ts": { "Bun.sleep(index / 4)": spread },
  "calls/policy/hooks/hooks-stage.test.ts": {
    "Bun.sleep(100)": slow,
    "toBeLessThan(atThisLoad(5))": promised,
  },
  "calls/policy/hooks/hooks.test.ts": { "Bun.sleep(timeoutMs + 5)": slow },
  "calls/router/output-progress.test.ts": { "Bun.sleep(120)": absence },
  "calls/router/tool-router.test.ts": {
    "setTimeout(…, 60)": unseen,
    "Bun.sleep(150)": aboutTime,
    "toBeLessThan(atThisLoad(320))": "what is left of a wait is a time",
  },
  "calls/skills/skill-view.test.ts": { "Bun.sleep(2 * skillListMsMax)": slow },
  "calls/upstream/deadlines.test.ts": {
    "Bun.sleep(5)": absence,
    "Bun.sleep(30)": absence,
    "Bun.sleep(80)": slow,
    "setTimeout(…, 5)": slow,
  },
  "calls/upstream/lists.test.ts": {
    "Bun.sleep(300)": absence,
    "Bun.sleep(upstreamChangeGatherMs * 2)": absence,
  },
  "cli/doctor.test.ts": { "Bun.sleep(10_000)": slow },
  "cli/mcp-commands.test.ts": { "toBeLessThan(atThisLoad(100))": promised },
  "commands/background/saved-output.test.ts": { "Bun.sleep(5)": absence },
  "commands/background/supervisor-harness.ts": { "Bun.sleep(lastLookMs)": unseen },
  "commands/background/supervisor.test.ts": { "toBeLessThan(atThisLoad(1_500))": promised },
  "commands/process/command.test.ts": { "Bun.sleep(30)": slow },
  "commands/process/family-size.test.ts": {
    "performance.now() < end": "must hold all the time while 300 children end",
  },
  "commands/process/guardian-script.test.ts": { "toBeLessThan(atThisLoad(1_500))": promised },
  "commands/process/guardian.test.ts": { "Bun.sleep(20)": absence, "Bun.sleep(200)": aboutTime },
  "commands/process/output-pipe.test.ts": { "Bun.sleep(waitMs)": slow },
  "commands/sandbox/stand-ins.test.ts": { "Bun.sleep(Math.random() * 2)": spread },
  "compose/lazy-skills.test.ts": { "Bun.sleep(lookMs * 4)": absence },
  "compose/run/run-client-program.test.ts": { "toBeLessThan(10_000)": lastResort },
  "conformance/pause.ts": { "setTimeout(…, ms)": slow },
  "e2e/attach.test.ts": { "Bun.sleep(550)": aboutTime },
  "e2e/commands.test.ts": {
    "Bun.sleep(100)": unseen,
    "Bun.sleep(500)": absence,
    "toBeLessThan(atThisLoad(2_500))": promised,
    "toBeLessThan(atThisLoad(2_000))": promised,
  },
  "e2e/harness/conditions.ts": { "setTimeout(…, patientMs)": lastResort },
  "e2e/harness/http-server.ts": { "setTimeout(…, 1_000)": lastResort },
  "e2e/harness/server.ts": { "setTimeout(…, 5_000)": lastResort },
  "e2e/hooks.test.ts": { "toBeLessThan(atThisLoad(3_000))": promised },
  "e2e/http-hostile.test.ts": { "Bun.sleep(20)": packets },
  "e2e/hub-updates.test.ts": { "toBeLessThan(atThisLoad(takeOverMsMax))": promised },
  "e2e/lifetime.test.ts": {
    "Bun.sleep(200)": aboutTime,
    "toBeLessThan(atThisLoad(exitMsMax))": promised,
  },
  "e2e/plan-other.test.ts": { "Bun.sleep(550)": aboutTime },
  "e2e/questions.test.ts": { "Bun.sleep(questionUnseenMs + 50)": aboutTime },
  "e2e/sandbox.test.ts": { "Bun.sleep(ms)": spread },
  "e2e/stream.test.ts": { "Bun.sleep(2)": packets },
  "e2e/team-logins.test.ts": { "setTimeout(…, 50)": slow },
  "e2e/team-tokens.test.ts": { "Bun.sleep(Math.random() * 80)": spread },
  "e2e/web-search.test.ts": { "toBeLessThanOrEqual(atThisLoad(6_500))": promised },
  "hub/hub.test.ts": {
    "Bun.sleep(20)": absence,
    "Bun.sleep(60)": absence,
    "Bun.sleep(300)": absence,
  },
  "interact/attach/attach-server.test.ts": { "Bun.sleep(5)": "the pace of a flood" },
  "interact/questions/page/page-browser.test.ts": { "Bun.sleep(100)": absence },
  "interact/questions/page/page-rung.test.ts": {
    "Bun.sleep(20)": unseen,
    "Bun.sleep(350)": aboutTime,
  },
  "interact/questions/questions.test.ts": { "Bun.sleep(30)": aboutTime },
  "interact/terminal/attach-app.test.ts": { "Bun.sleep(questionGuardMs + 20)": aboutTime },
  "scripts/install-download.test.ts": { "Bun.sleep(1_500)": unseen },
  "state/callbacks/elapsed-clock.test.ts": { "Bun.sleepSync(20)": aboutTime },
  "support/engines/redis.ts": {
    "Bun.sleep(10)": "an engine that starts says nothing until it answers",
  },
  "support/engines/tcp-proxy.ts": {
    "setTimeout(…, this.delayMs)": slow,
    "setTimeout(…, 1)": "a socket that is full says nothing when it has room",
  },
  "state/store/look-file.test.ts": {
    "toBeLessThan(atThisLoad(50))": "without waiting: the answer is the same after a wait",
  },
  "tools/workers/pool-blame.test.ts": { "performance.now() - since < 60": aboutTime },
  "tools/workers/pool.test.ts": { "Bun.sleep(30)": slow },
  "upstream/connect/eras.test.ts": { "setTimeout(…, 100)": unseen },
  "upstream/connect/negotiate-pipe.test.ts": {
    "Bun.sleep(100)": absence,
    "setTimeout(…, 20)": slow,
    "setTimeout(…, 50)": slow,
    "setTimeout(…, 600)": slow,
    "setTimeout(…, ms)": slow,
  },
  "upstream/connect/stdio-transport.test.ts": { "Bun.sleep(50)": absence },
  "upstream/install/installer.test.ts": { "setTimeout(…, 600)": absence },
  "upstream/manager/shared-questions.test.ts": {
    "Bun.sleep(20)": unseen,
    "Bun.sleep(pick(20))": spread,
  },
  "upstream/manager/control.test.ts": { "toBeLessThan(atThisLoad(2_500))": promised },
  "upstream/manager/managed-connection.test.ts": { "Bun.sleep(5)": absence },
  "upstream/manager/resources.test.ts": { "Bun.sleep(30)": absence },
  "upstream/manager/trials.test.ts": { "setTimeout(…, 100)": unseen },
  "upstream/worker/server-processes.test.ts": {
    "Bun.sleep(1_100)": aboutTime,
    "toBeLessThan(atThisLoad(3_500))": promised,
  },
  "web/browser/create-browser.test.ts": {
    "Bun.sleep(20)": slow,
    "Bun.sleep(200)": slow,
    "Bun.sleep(1_600)": slow,
  },
  "web/pages/bad-servers.test.ts": { "Bun.sleep(60)": slow, "setTimeout(…, 20)": unseen },
  "web/search/engine-search.test.ts": { "Bun.sleep(300)": slow, "Bun.sleep(1_300)": slow },
  "web/search/next-search.test.ts": { "Bun.sleep(50)": slow },
  "web/search/reading-queue.test.ts": {
    "performance.now() < until": slow,
    "setTimeout(…, 5)": aboutTime,
  },
};

/** Programs that tests start: what they wait is part of what they play. */
const isFixture = (file: string): boolean => /(?:^|\/)fixtures\//.test(file);

const files = (readdirSync(import.meta.dir, { recursive: true }) as string[])
  .map((file) => file.replaceAll("\\", "/"))
  .filter((file) => file.endsWith(".ts") && !isFixture(file))
  .toSorted();
const waits = files.flatMap((file) =>
  findWaits(file, readFileSync(join(import.meta.dir, file), "utf8")).map((wait) => ({
    file,
    ...wait,
  })),
);

describe("a test waits for a condition, not for a time", () => {
  test("no asserted time, no fixed wait", () => {
    const found = waits
      .filter(({ file, text }) => allowed[file]?.[text] === undefined)
      .map(({ file, line, text }) => `test/${file}:${line}: ${text}`);
    expect(found).toEqual([]);
  });

  test("each exception is used", () => {
    const unused = Object.entries(allowed).flatMap(([file, texts]) =>
      Object.keys(texts)
        .filter((text) => !waits.some((wait) => wait.file === file && wait.text === text))
        .map((text) => `test/${file}: ${text}`),
    );
    expect(unused).toEqual([]);
  });
});

test.each<[source: string, found: readonly string[]]>([
  ["expect(performance.now() - start).toBeLessThan(5);", ["toBeLessThan(5)"]],
  [
    "const ms = (Date.now() - a) / 2; expect(ms).toBeLessThanOrEqual(x);",
    ["toBeLessThanOrEqual(x)"],
  ],
  [
    "function took() { return Date.now() - a }\nexpect(took()).toBeLessThan(5);",
    ["toBeLessThan(5)"],
  ],
  ["expect(await took()).toBeLessThan(atThisLoad(5));", ["toBeLessThan(atThisLoad(5))"]],
  ["expect(performance.now() - start).toBeGreaterThan(5);", []],
  ["expect(list.length - other.length).toBeLessThan(5);", []],
  ["await Bun.sleep(5);", ["Bun.sleep(5)"]],
  ["await new Promise((done) => setTimeout(done, 5));", ["setTimeout(…, 5)"]],
  ["while (performance.now() < end);", ["performance.now() < end"]],
  ["for (let at = 0; at < 5; at++) await Bun.sleep(5);", ["Bun.sleep(5)"]],
  ["while (true) await Bun.sleep(5);", ["Bun.sleep(5)"]],
  ["while (!isOver()) start(async () => { await Bun.sleep(5); });", ["Bun.sleep(5)"]],
  ["while (!isOver()) await Bun.sleep(5);", []],
  ["for (let text = ''; !isOver(); text += 'x') await Bun.sleep(5);", []],
  ["for (;;) { if (isOver()) break; await Bun.sleep(5); }", []],
  ["await Bun.sleep(0);", []],
])("findWaits() in %s", (source, found) => {
  expect(findWaits("a.ts", source).map(({ text }) => text)).toEqual([...found]);
});
