import { describe, expect } from "bun:test";
import { existsSync, readFileSync } from "node:fs";

import { readRecord } from "../../../src/hub/link/hub-lock.ts";
import { factsOf } from "../../../src/hub/link/process-facts.ts";
import { endOldHub } from "../../../src/hub/link/take-over.ts";
import { posixTest, testMsMax } from "../../e2e/harness/platform.ts";
import { isLongRun } from "../../fixtures/long-run.ts";
import { HubYard } from "./hub-yard.ts";

describe("reachHub()", () => {
  posixTest("starts a hub where there is none, and the next one finds it", async () => {
    await using yard = new HubYard();
    const first = await yard.reach();
    const second = await yard.reach({ purpose: "kept" });
    expect(await first.ask("a")).toBe(`${first.pid}:1:a`);
    expect(await second.ask("b")).toBe(`${first.pid}:1:b`);
    expect([first.heard[0], second.heard[0]]).toEqual([
      `welcome watch ${process.pid} test-client`,
      `welcome kept ${process.pid} test-client`,
    ]);
  });

  posixTest("without leave to start one it finds nothing, and a hub that is there", async () => {
    await using yard = new HubYard();
    expect(await yard.tryToReach()).toBeUndefined();
    expect(existsSync(yard.place.folder)).toBe(false);
    const { pid } = await yard.reach();
    expect((await yard.tryToReach())?.pid).toBe(pid);
  });

  posixTest(
    "many processes that start at once have one hub",
    async () => {
      await using yard = new HubYard();
      const clients = yard.startClients(isLongRun ? 20 : 8);
      const hubs = await Promise.all(clients.map(({ hub }) => hub));
      const { pid } = await yard.reach();
      for (const client of clients) await client.end();
      expect(hubs).toEqual(hubs.map(() => `${pid} 1`));
    },
    testMsMax,
  );
});

describe("a hub that is gone", () => {
  posixTest("was killed: its socket and its lock are in nobody's way", async () => {
    await using yard = new HubYard();
    const first = await yard.reach();
    process.kill(first.pid, "SIGKILL");
    expect(await first.closed).toBe("the other side closed the link");
    const second = await yard.reach();
    expect(second.generation).toBe(2);
    expect(second.pid).not.toBe(first.pid);
  });

  posixTest("was killed while children of its live: they do not hold its lock", async () => {
    await using yard = new HubYard();
    const first = await yard.reach();
    await first.ask("child");
    const child = Number(first.heard.find((text) => text.startsWith("child "))?.slice(6));
    process.kill(first.pid, "SIGKILL");
    expect((await yard.reach()).generation).toBe(2);
    expect(factsOf(child)?.state).toBe("running");
    process.kill(child, "SIGKILL");
  });

  posixTest("ended by itself: the next one begins when it has", async () => {
    await using yard = new HubYard();
    const first = await yard.reach();
    first.link.send("end");
    await first.closed;
    expect((await yard.reach()).generation).toBe(2);
  });

  posixTest("is stopped: it is ended, and another takes its place", async () => {
    await using yard = new HubYard();
    const first = await yard.reach();
    process.kill(first.pid, "SIGSTOP");
    const second = await yard.reach({ silent: first.generation });
    expect(second.generation).toBe(2);
    expect(await first.closed).toBe("the other side closed the link");
    expect(["ended", undefined]).toContain(factsOf(first.pid)?.state);
  });

  posixTest(
    "is stopped when many come: they have one hub afterwards",
    async () => {
      await using yard = new HubYard();
      process.kill((await yard.reach()).pid, "SIGSTOP");
      const clients = yard.startClients(isLongRun ? 20 : 6);
      const hubs = await Promise.all(clients.map(({ hub }) => hub));
      const { pid } = await yard.reach();
      for (const client of clients) await client.end();
      expect(hubs).toEqual(hubs.map(() => `${pid} 2`));
    },
    testMsMax,
  );

  posixTest("is another than the process with its number: that is left alone", async () => {
    await using yard = new HubYard();
    const first = await yard.reach();
    const record = readRecord(yard.place);
    if (record === undefined) throw new Error("the hub has no record");
    await endOldHub(yard.place, { ...record, start: "1" });
    // It lives, and its lock was taken out of the place.
    await first.ask("holds?");
    expect(first.heard).toContain("holds: false");
    expect((await yard.reach()).pid).not.toBe(first.pid);
  });
});

describe("a hub that was started", () => {
  posixTest("knows nothing of its starter", async () => {
    await using yard = new HubYard();
    const env = {
      PATH: process.env["PATH"],
      LANG: "C.UTF-8",
      SECRET: "hunter2",
      SCORPIOX_HOME: "/elsewhere",
      SCORPIOX_DEPTH: "1",
      SCORPIOX_OWNER: "abc.1",
    };
    await yard.reach({ start: yard.start("facts", env) });
    const facts = JSON.parse(readFileSync(`${yard.place.folder}/facts.json`, "utf8"));
    const { PATH: _, ...rest } = facts.env;
    expect({ ...facts, env: rest }).toEqual({
      cwd: "/",
      env: {
        HOME: "/home/user",
        USER: "user",
        LOGNAME: "user",
        LANG: "C.UTF-8",
      },
      // Input is the null device, output the log; nothing else is open that the starter had.
      inputs: ["/dev/null", yard.place.logFile, yard.place.logFile],
      leadsSession: true,
    });
  });

  posixTest("outlives it, however that ends", async () => {
    await using yard = new HubYard();
    const [starter] = yard.startClients(1);
    const hub = await starter?.hub;
    await starter?.kill();
    const client = await yard.reach();
    expect(hub).toBe(`${client.pid} 1`);
  });
});
