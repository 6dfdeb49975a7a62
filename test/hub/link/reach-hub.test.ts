import { describe, expect } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";

import { posixTest, testMsMax } from "../../e2e/harness/platform.ts";
import { HubYard } from "./hub-yard.ts";

const clientFixture = join(import.meta.dir, "fixtures/client.ts");

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
    "twenty processes that start at once have one hub",
    async () => {
      await using yard = new HubYard();
      const words = JSON.stringify(yard.start());
      const children = Array.from({ length: 20 }, () =>
        Bun.spawn([process.execPath, clientFixture, yard.place.name, words], {
          stdio: ["pipe", "pipe", "inherit"],
        }),
      );
      const lines = await Promise.all(children.map(({ stdout }) => firstLine(stdout)));
      const { pid } = await yard.reach();
      for (const child of children) void child.stdin.end();
      await Promise.all(children.map(({ exited }) => exited));
      expect(lines).toEqual(children.map(() => `${pid} 1`));
    },
    testMsMax,
  );
});

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  let text = "";
  for await (const chunk of stream) {
    text += Buffer.from(chunk).toString();
    if (text.includes("\n")) break;
  }
  return text.split("\n")[0] ?? "";
}
