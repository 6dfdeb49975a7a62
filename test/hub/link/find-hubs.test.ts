import { describe, expect, test } from "bun:test";
import { chmodSync, copyFileSync, existsSync, mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { FileLock, readRecord } from "../../../src/hub/link/hub-lock.ts";
import { exclusiveFolderIn, hubPlaceNamed } from "../../../src/hub/link/hub-place.ts";
import { sweepPlaces } from "../../../src/hub/link/find-hubs.ts";
import { visitHub } from "../../../src/hub/link/visit-hub.ts";
import { until } from "../../commands/process/until.ts";
import { posixTest, testMsMax } from "../../e2e/harness/platform.ts";
import { TempFolder } from "../../e2e/harness/temp-folder.ts";
import { HubYard } from "./hub-yard.ts";

/** A hub of another build beside that of the yard: its program is another file. */
async function otherHub(yard: HubYard, home: TempFolder) {
  const program = home.at("bun");
  copyFileSync(process.execPath, program);
  chmodSync(program, 0o700);
  const name = yard.place.name.replace(/^hub-[0-9a-f]+/, "hub-0123456789ab");
  const place = hubPlaceNamed(yard.scorpioxDir, name);
  mkdirSync(place.folder, { recursive: true, mode: 0o700 });
  const { command = [], args } = yard.start();
  const words = [program, ...command.slice(1), args[0] ?? "", name];
  const child = Bun.spawn(words, { stdio: ["ignore", "ignore", "ignore"] });
  await until(() => readRecord(place)?.socket !== undefined);
  return { place, child };
}

describe("hubs of other builds", () => {
  posixTest(
    "a client of one build does not get into the hub of another",
    async () => {
      using home = new TempFolder();
      await using yard = new HubYard();
      const { place, child } = await otherHub(yard, home);
      await using _child = child;
      const visit = await visitHub(place, {
        purpose: "kept",
        clientKey: "test-client",
        handlers: { onText: () => {}, onClosed: () => {} },
        signal: new AbortController().signal,
        msMax: 5_000,
      });
      expect(visit).toEqual({
        kind: "refused",
        reason: "it runs another program than this process",
      });
      child.kill("SIGKILL");
    },
    testMsMax,
  );
});

describe("sweepPlaces()", () => {
  const old = new Date(Date.now() - 8 * 24 * 60 * 60 * 1000);

  posixTest("removes places of hubs that have long ended, and nothing else", () => {
    using home = new TempFolder();
    const own = hubPlaceNamed(home.path, "hub-0a-0b");
    const make = (name: string, changedAt = old) => {
      const { folder, lockFile } = hubPlaceNamed(home.path, name);
      mkdirSync(folder, { recursive: true });
      writeFileSync(lockFile, "");
      utimesSync(lockFile, changedAt, changedAt);
      return lockFile;
    };
    const held = make("hub-1a-0b");
    const places = [
      make(own.name),
      held,
      make("hub-2a-0b", new Date()),
      make("hub-3a-0c"),
      make("hubs"),
    ];
    using _lock = FileLock.take(held);
    sweepPlaces(own);
    expect(places.map((path) => existsSync(path))).toEqual([true, true, true, false, true]);
  });

  posixTest("removes locks of servers that have long ended, and nothing else", () => {
    using home = new TempFolder();
    const own = exclusiveFolderIn(home.path);
    const elsewhere = (name: string): string => join(dirname(own), `exclusive-${name}`);
    const make = (folder: string, changedAt = old): string => {
      const path = join(folder, "0a");
      mkdirSync(folder, { recursive: true });
      writeFileSync(path, "");
      utimesSync(folder, changedAt, changedAt);
      return path;
    };
    const held = make(elsewhere("0a"));
    const paths = [make(own), held, make(elsewhere("0b"), new Date()), make(elsewhere("0c"))];
    using _lock = FileLock.take(held);
    sweepPlaces(hubPlaceNamed(home.path, "hub-0a-0b"));
    expect(paths.map((path) => existsSync(path))).toEqual([true, true, true, false]);
    expect(existsSync(elsewhere("0c"))).toBe(false);
  });

  test("where there is nothing it does nothing", () => {
    expect(() => sweepPlaces(hubPlaceNamed("/nowhere", "hub-0a-0b"))).not.toThrow();
  });
});
