import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { socketPathBytesMax } from "../../../src/base/limits.ts";
import { hubPlaceOf, trimLog } from "../../../src/hub/link/hub-place.ts";
import { posixTest } from "../../e2e/harness/platform.ts";
import { TempFolder } from "../../e2e/harness/temp-folder.ts";
import { HubYard } from "./hub-yard.ts";

describe("hubPlaceOf()", () => {
  test("is the same for all processes of a build and a machine, and private to a data folder", () => {
    const place = hubPlaceOf("/home/a/.scorpiox");
    expect(hubPlaceOf("/home/a/.scorpiox").folder).toBe(place.folder);
    expect(place.folder).toMatch(/^\/home\/a\/\.scorpiox\/run\/hub-[0-9a-f]{12}-[0-9a-f]{12}$/);
    expect(hubPlaceOf("/home/b/.scorpiox").folder).not.toBe(place.folder);
  });

  posixTest(
    "a socket beside the lock where its path is short enough, else in a private folder",
    () => {
      const place = hubPlaceOf("/home/a/.scorpiox");
      expect(place.sockets(3)[0]).toBe(`${place.folder}/socket-3`);
      const long = hubPlaceOf(`/home/${"a".repeat(100)}/.scorpiox`);
      expect(long.sockets(3).length).toBeGreaterThan(0);
      expect(
        long.sockets(3).every((path) => path.endsWith("-3") && !path.startsWith("/home")),
      ).toBe(true);
      expect(long.sockets(3).every((path) => Buffer.byteLength(path) <= socketPathBytesMax)).toBe(
        true,
      );
      expect(long.sockets(3)).not.toEqual(
        hubPlaceOf(`/home/${"b".repeat(100)}/.scorpiox`).sockets(3),
      );
    },
  );

  posixTest("a hub whose path is too long is reached all the same", async () => {
    await using yard = new HubYard("deep".repeat(30));
    const client = await yard.reach();
    expect(await client.ask("a")).toBe(`${client.pid}:1:a`);
  });
});

const printPlace = `
  const { hubPlaceOf } = await import(${JSON.stringify(join(import.meta.dir, "../../../src/hub/link/hub-place.ts"))});
  console.log(hubPlaceOf("/home/a").name);
`;
const machineIn = async (...words: readonly string[]): Promise<string> => {
  const child = Bun.spawn([...words, process.execPath, "-e", printPlace], { stdout: "pipe" });
  return (await child.stdout.text()).trim().split("-")[2] ?? "";
};
const mayUnshare =
  process.platform === "linux" &&
  Bun.which("unshare") !== null &&
  Bun.spawnSync(["unshare", "-m", "-p", "-u", "-f", "true"], { stderr: "ignore" }).success;

test.skipIf(!mayUnshare)(
  "processes that do not see the same files, processes or host name have other hubs",
  async () => {
    const renamed = ["unshare", "-u", "sh", "-c", 'hostname elsewhere && exec "$@"', "sh"];
    const ways = [[], ["unshare", "-m"], ["unshare", "-p", "-f", "--mount-proc"], renamed];
    const [own, again, ...others] = await Promise.all([
      machineIn(),
      ...ways.map((way) => machineIn(...way)),
    ]);
    expect(own).toMatch(/^[0-9a-f]{12}$/);
    expect(again).toBe(own);
    expect(new Set([own, ...others]).size).toBe(4);
  },
);

posixTest("trimLog() bounds a log and keeps the rest of it once", async () => {
  using home = new TempFolder();
  const logFile = home.at("log");
  trimLog({ logFile });
  writeFileSync(logFile, "short");
  trimLog({ logFile });
  expect(await Bun.file(logFile).text()).toBe("short");
  writeFileSync(logFile, "x".repeat(1024 * 1024 + 1));
  trimLog({ logFile });
  expect([Bun.file(logFile).size, Bun.file(join(home.path, "log.old")).size]).toEqual([
    0,
    1024 * 1024 + 1,
  ]);
});
