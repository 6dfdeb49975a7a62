import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { closeSync, readdirSync, readSync } from "node:fs";
import { join } from "node:path";

import { loadLibc } from "../../../src/commands/process/libc.ts";
import { keptProcessOf } from "../../../src/hub/kept/machine.ts";
import { KeptTasks } from "../../../src/hub/kept/kept-tasks.ts";
import { shareOf } from "../../fixtures/long-run.ts";
import { connectTo, KeptPlace, startHub, TestClient } from "./kept-harness.ts";

function openHub(place: KeptPlace) {
  return new KeptTasks({ scorpioxDir: place.scorpioxDir, log: (line) => console.error(line) });
}

/** As a client process that has ended after it read up to `to`. */
async function readByAnEnded(
  place: KeptPlace,
  taskId: number,
  key: string,
  to: number,
): Promise<void> {
  const child = Bun.spawn(["sleep", "1000"], { stdio: ["ignore", "ignore", "ignore"] });
  place.task(taskId).prepareCursor(key, to, keptProcessOf(child.pid)).confirm();
  child.kill("SIGKILL");
  await child.exited;
}

describe("the place of a client in the output", () => {
  test("is its own: what one has read the other still gets", async () => {
    using place = new KeptPlace();
    await using hub = openHub(place);
    using one = new TestClient(place, connectTo(hub));
    using other = new TestClient(place, connectTo(hub));
    await one.start("seq 3");
    await one.ended(1_001);
    expect(await one.take(1_001)).toBe("1\n2\n3\n");
    expect(await other.take(1_001)).toBe("1\n2\n3\n");
    expect([await one.take(1_001), await other.take(1_001)]).toEqual(["", ""]);
    expect((await one.task(1_001))?.unreadBytes).toBe(0);
  });

  test("does not move before the result is delivered", async () => {
    using place = new KeptPlace();
    await using hub = openHub(place);
    using client = new TestClient(place, connectTo(hub));
    await client.start("seq 3");
    await client.ended(1_001);
    const first = await client.read(1_001);
    const second = await client.read(1_001);
    expect(second.stretches).toEqual(first.stretches);
  });

  type Step = "given" | "withdrawn" | "taken" | "dropped";
  const all = "1\n2\n3\n";
  test.each<[readonly Step[], string, string]>([
    [[], "", all],
    [["given"], "", ""],
    [["given", "withdrawn"], "", all],
    [["given", "taken"], "", ""],
    [["given", "withdrawn", "taken"], "", ""],
    [["given", "withdrawn", "dropped"], all, all],
    [["dropped"], all, all],
  ])(
    "of a reply that was %j: this client goes on at %j, the next one at %j",
    async (steps, own, next) => {
      using place = new KeptPlace();
      await using hub = openHub(place);
      using client = new TestClient(place, connectTo(hub));
      await client.start("seq 3");
      await client.ended(1_001);
      const record = client.kept.delivery(1_001, 6, client.client);
      for (const step of steps) record?.[step]();
      expect((await client.read(1_001)).stretches.join("")).toBe(own);
      expect(place.task(1_001).cursorOf(client.key) === 6 ? "" : all).toBe(next);
    },
  );

  test("moves with the system call that writes the reply, as far as the pipe takes it", async () => {
    using place = new KeptPlace();
    await using hub = openHub(place);
    using client = new TestClient(place, connectTo(hub));
    await client.start("seq 3");
    await client.ended(1_001);
    const pipe = loadLibc()?.createPipe() ?? [0, 0];
    const cursor = (): number => place.task(1_001).cursorOf(client.key);
    const record = client.kept.delivery(1_001, 4, client.client);
    const text = "ü".repeat(10_000);
    // Longer than the pipe: nothing is written.
    expect(record?.writeTo?.(pipe[1], "x".repeat(65_536))).toBeUndefined();
    expect(cursor()).toBe(0);
    expect(record?.writeTo?.(pipe[1], text)?.length).toBe(0);
    expect(cursor()).toBe(4);
    // Something waits in the pipe by now.
    expect(client.kept.delivery(1_001, 6, client.client)?.writeTo?.(pipe[1], text)).toBeUndefined();
    expect(cursor()).toBe(4);
    const read = Buffer.alloc(30_000);
    expect(read.toString("utf8", 0, readSync(pipe[0], read))).toBe(text);
    for (const fd of pipe) closeSync(fd);
  });

  test("leaves nothing beside the places once replies are out", async () => {
    using place = new KeptPlace();
    await using hub = openHub(place);
    using client = new TestClient(place, connectTo(hub));
    await client.start("seq 3");
    await client.ended(1_001);
    await client.take(1_001);
    client.kept.delivery(1_001, 6, client.client)?.dropped();
    expect(readdirSync(join(place.task(1_001).folder, "cursors"))).toEqual([client.key]);
  });

  test("of a new client is where the last that has ended stopped", async () => {
    using place = new KeptPlace();
    await using hub = openHub(place);
    using starter = new TestClient(place, connectTo(hub));
    await starter.start("seq 5");
    await starter.ended(1_001);
    await readByAnEnded(place, 1_001, "first", 8);
    await readByAnEnded(place, 1_001, "last", 4);
    using next = new TestClient(place, connectTo(hub));
    expect(await next.take(1_001)).toBe("3\n4\n5\n");
    // One that was there all the time and has read nothing has no place of its own either.
    expect(await starter.take(1_001)).toBe("3\n4\n5\n");
  });
});

/** What clients do around a command that prints. */
const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.constant("read" as const) },
    { weight: 2, arbitrary: fc.constant("wait" as const) },
    { weight: 1, arbitrary: fc.constant("cancelled" as const) },
    { weight: 2, arbitrary: fc.constant("client ends" as const) },
    { weight: 1, arbitrary: fc.constant("hub is killed" as const) },
  ),
  { minLength: 5, maxLength: 25 },
);

test("whatever clients and hubs do, each byte is delivered once", async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (acts) => {
      using place = new KeptPlace();
      let hub = await startHub(place.scorpioxDir);
      let client = new TestClient(place, hub.connect);
      // Each pause is a process: there are fewer, and longer ones, than lines.
      const pause = "[ $((i % 4)) = 0 ] && sleep 0.008";
      const prints = `for i in $(seq 1 100); do echo "line $i"; printf 'ü%s' $i; ${pause}; done; echo`;
      const { taskId } = await client.start(prints);
      let text = "";
      let number = 0;
      const endClient = async (to: number): Promise<void> => {
        client[Symbol.dispose]();
        await readByAnEnded(place, taskId, `ended-${++number}`, to);
        client = new TestClient(place, hub.connect);
      };
      let readTo = 0;
      for (const act of acts) {
        if (act === "read" || act === "wait")
          text += await client.take(taskId, act === "wait" ? 50 : 0);
        if (act === "cancelled") await client.read(taskId);
        readTo = Buffer.byteLength(text);
        if (act === "client ends") await endClient(readTo);
        if (act === "hub is killed") {
          await hub.kill();
          hub = await startHub(place.scorpioxDir);
          await endClient(readTo);
        }
      }
      await client.ended(taskId);
      for (let part = await client.take(taskId); part !== ""; part = await client.take(taskId)) {
        text += part;
      }
      const { output } = place.task(taskId);
      const printed = output.read(0, true);
      expect(text).toBe(printed.stretches.join(""));
      expect(text.split("line ").length).toBe(101);
      expect(text).not.toContain("\ufffd");
      client[Symbol.dispose]();
      await hub.kill();
    }),
    { numRuns: shareOf(20) },
  );
}, 120_000);
