import { describe, expect, test } from "bun:test";

import { KeptTasks } from "../../../src/hub/kept/kept-tasks.ts";
import { until } from "../../commands/process/until.ts";
import { connectTo, KeptPlace, TestClient } from "./kept-harness.ts";

function openHub(place: KeptPlace, more: Partial<ConstructorParameters<typeof KeptTasks>[0]> = {}) {
  return new KeptTasks({
    scorpioxDir: place.scorpioxDir,
    log: (line) => console.error(line),
    ...more,
  });
}

describe("a kept task", () => {
  test("runs, prints and ends with its exit code", async () => {
    using place = new KeptPlace();
    await using hub = openHub(place);
    using client = new TestClient(place, connectTo(hub));
    const started = await client.start("echo one; echo two >&2; exit 7");
    expect(started).toMatchObject({
      taskId: 1_001,
      isKept: true,
      command: expect.stringContaining("echo one"),
    });
    const ended = await client.ended(1_001);
    expect(ended).toMatchObject({ state: "failed", exitCode: 7, signal: null, unreadBytes: 8 });
    expect(await client.take(1_001)).toBe("one\ntwo\n");
    expect(await client.take(1_001)).toBe("");
    await until(() => hub.alive === 0);
  });

  test("is ended by kill with all that it started", async () => {
    using place = new KeptPlace();
    await using hub = openHub(place);
    using client = new TestClient(place, connectTo(hub));
    await client.start("setsid sleep 1000 & (trap '' TERM; sleep 999) & echo up; wait");
    expect(await client.take(1_001, 10_000)).toBe("up\n");
    const { task, wasRunning } = await client.kill(1_001);
    expect([wasRunning, task.state, task.endedBy]).toEqual([true, "killed", "killed"]);
    expect((await client.kill(1_001)).wasRunning).toBe(false);
  });

  test("has nothing in its output that its command has not printed", async () => {
    using place = new KeptPlace();
    await using hub = openHub(place);
    using client = new TestClient(place, connectTo(hub));
    await client.start("echo up; exec sleep 1000");
    await client.read(1_001, 10_000);
    await client.kill(1_001);
    expect(await client.take(1_001)).toBe("up\n");
  });
});
