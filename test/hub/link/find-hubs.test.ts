import { describe, expect } from "bun:test";
import { chmodSync, copyFileSync, mkdirSync } from "node:fs";

import { readRecord } from "../../../src/hub/link/hub-lock.ts";
import { hubPlaceNamed } from "../../../src/hub/link/hub-place.ts";
import { hubsOfOtherBuilds } from "../../../src/hub/link/find-hubs.ts";
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
    "a hub reaches the kept tasks of another, and nothing else of it",
    async () => {
      using home = new TempFolder();
      await using yard = new HubYard();
      const { place, child } = await otherHub(yard, home);
      await using _child = child;
      const own = await yard.reach();
      expect(hubsOfOtherBuilds(yard.place).map((record) => record.pid)).toEqual([child.pid]);
      await own.ask(`visit ${place.name} kept`);
      await own.ask(`visit ${place.name} upstream`);
      await until(() => own.heard.filter((text) => text.startsWith("visited ")).length === 2);
      expect(own.heard.filter((text) => text.startsWith("visited "))).toEqual([
        `visited kept: admitted, welcome kept ${own.pid} fixture-hub`,
        "visited upstream: refused, a hub of another build may only ask for kept tasks",
      ]);
      child.kill("SIGKILL");
      await child.exited;
      expect(hubsOfOtherBuilds(yard.place)).toEqual([]);
    },
    testMsMax,
  );

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
        isOtherBuild: true,
      });
      expect(visit).toEqual({ kind: "refused", reason: "it runs another program than the hub" });
      child.kill("SIGKILL");
    },
    testMsMax,
  );
});
