import { describe, expect } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { ensureHubFolder, HubFault, hubPlaceOf } from "../../../src/hub/link/hub-place.ts";
import { readRecord } from "../../../src/hub/link/hub-lock.ts";
import { reachHub } from "../../../src/hub/link/reach-hub.ts";
import { until } from "../../commands/process/until.ts";
import { posixTest } from "../../e2e/harness/platform.ts";
import { HubYard } from "./hub-yard.ts";

describe("a hub that does not come up", () => {
  posixTest("says why, in one line", async () => {
    await using yard = new HubYard();
    expect(await reasonOf(yard.reach({ start: yard.start("fail") }))).toBe(
      "the hub ended when it was started, with exit code 3: there is no room for it",
    );
  });

  posixTest("because no file can grow, its log included", async () => {
    await using yard = new HubYard();
    const { command = [], ...start } = yard.start();
    const full = ["/bin/sh", "-c", 'ulimit -f 0; exec "$@"', "sh", ...command];
    expect(await reasonOf(yard.reach({ start: { ...start, command: full } }))).toBe(
      "the hub ended when it was started, with exit code 1",
    );
  });

  posixTest("in time is given up, and ended", async () => {
    await using yard = new HubYard();
    expect(await reasonOf(yard.reach({ start: { ...yard.start("mute"), msMax: 500 } }))).toBe(
      "the hub did not listen within 0.5 s of its start",
    );
  });

  posixTest("because its program is missing", async () => {
    await using yard = new HubYard();
    const start = { ...yard.start(), command: ["/nowhere/hub"] };
    expect(await reasonOf(yard.reach({ start }))).toStartWith("the hub cannot be started: ");
  });

  posixTest("because a file is in the place of its folder", async () => {
    await using yard = new HubYard();
    writeFileSync(join(yard.scorpioxDir, "run"), "");
    expect(await reasonOf(yard.reach())).toStartWith(`no folder ${yard.place.folder}: `);
  });

  posixTest("because nothing can be written where the folder would be", async () => {
    await using yard = new HubYard();
    const start = yard.start();
    const place = hubPlaceOf("/proc/self");
    const handlers = { onText: () => {}, onClosed: () => {} };
    const { signal } = new AbortController();
    const reaching = reachHub(place, {
      purpose: "kept",
      clientKey: "test-client",
      start,
      handlers,
      signal,
    });
    expect(await reasonOf(reaching)).toStartWith(`no folder ${place.folder}: `);
  });

  posixTest("is not waited for by a call that is cancelled", async () => {
    await using yard = new HubYard();
    const ending = new AbortController();
    const start = yard.start("mute");
    const reaching = yard.reach({ start, signal: ending.signal });
    await until(() => existsSync(`${yard.place.folder}/pid`));
    ending.abort();
    expect(await reasonOf(reaching)).toBe("no fault: AppError: The call was cancelled.");
    process.kill(Number(readFileSync(`${yard.place.folder}/pid`, "utf8")), "SIGKILL");
  });

  posixTest("although it holds the lock: it is ended after the same time", async () => {
    await using yard = new HubYard();
    await ensureHubFolder(yard.place);
    const { command = [], args } = yard.start("lock");
    await using stuck = Bun.spawn([...command, ...args]);
    await until(() => readRecord(yard.place)?.pid === stuck.pid);
    expect(await reasonOf(yard.reach({ start: { ...yard.start(), msMax: 500 } }))).toBe(
      "no hub listened within 0.5 s",
    );
    expect((await yard.reach()).generation).toBe(2);
  });
});

async function reasonOf(reaching: Promise<unknown>): Promise<string> {
  const error = await reaching.catch((fault: unknown) => fault);
  return error instanceof HubFault ? error.message : `no fault: ${String(error)}`;
}
