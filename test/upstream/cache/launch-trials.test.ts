import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { LaunchTrials } from "../../../src/upstream/cache/launch-trials.ts";

const folder = mkdtempSync(join(tmpdir(), "scorpiox-trials-"));
afterAll(() => rmSync(folder, { recursive: true }));

const pathOf = (identity: string): string => join(folder, `${identity}.tried`);

function age(identity: string, seconds: number): void {
  const then = Date.now() / 1_000 - seconds;
  utimesSync(pathOf(identity), then, then);
}

/** Two processes, as far as the marks tell: each has a name of its own. */
const open = (): readonly [LaunchTrials, LaunchTrials] => [
  new LaunchTrials(folder),
  new LaunchTrials(folder),
];

test("of two processes that try the same launch one has it, and each may ask again", async () => {
  const [one, two] = open();
  const claims = await Promise.all([one.claim("both"), two.claim("both")]);
  expect([...claims].sort()).toEqual(["others", "ours"]);
  expect(await Promise.all([one.claim("both"), two.claim("both")])).toEqual(claims);
  expect(await one.claim("another")).toBe("ours");
  expect(statSync(pathOf("both")).mode & 0o777).toBe(0o600);
});

test("what was tried in vain stays tried until it is heard of", async () => {
  const [one, two] = open();
  await one.claim("vain");
  await one.fail("vain");
  expect([await one.claim("vain"), await two.claim("vain")]).toEqual(["tried", "tried"]);
  await two.succeed("vain");
  expect(existsSync(pathOf("vain"))).toBe(false);
});

test("nobody gives up for another", async () => {
  const [one, two] = open();
  await one.claim("held");
  await two.fail("held");
  await two.leave("held");
  expect(await two.claim("held")).toBe("others");
});

test.each([
  ["at once has not tried it", 0, "ours"],
  ["after as long as a list waits has", 2, "tried"],
] as const)("who leaves %s", async (_what, seconds, expected) => {
  const [one, two] = open();
  const identity = `left${seconds}`;
  await one.claim(identity);
  age(identity, seconds);
  await one.leave(identity);
  expect(await two.claim(identity)).toBe(expected);
});

test("a holder that takes very long is slow", async () => {
  const [one, two] = open();
  await one.claim("slow");
  age("slow", 14);
  expect(await two.claim("slow")).toBe("others");
  age("slow", 16);
  expect([await two.claim("slow"), await one.claim("slow")]).toEqual(["slow", "ours"]);
});

test.each([
  ["at once is replaced", 0, "ours"],
  ["after as long as a list waits has tried it", 2, "tried"],
] as const)("a holder that was killed %s", async (_what, seconds, expected) => {
  const ended = Bun.spawn(["true"]);
  await ended.exited;
  const identity = `killed${seconds}`;
  writeFileSync(pathOf(identity), JSON.stringify({ pid: ended.pid, startTicks: null, id: "x" }));
  age(identity, seconds);
  const [one, two] = open();
  expect(await one.claim(identity)).toBe(expected);
  expect(await two.claim(identity)).toBe(expected === "ours" ? "others" : "tried");
});

test("a mark whose text is still being written is of somebody who tries", async () => {
  writeFileSync(pathOf("fresh"), "");
  const [one] = open();
  expect(await one.claim("fresh")).toBe("others");
  age("fresh", 2);
  expect(await one.claim("fresh")).toBe("tried");
});

test("where nothing can be written everybody is on their own", async () => {
  const trials = new LaunchTrials("/proc/none");
  expect(await trials.claim("a")).toBe("ours");
  await trials.fail("a");
  await trials.leave("a");
  await trials.succeed("a");
});
