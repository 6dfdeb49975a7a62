import { describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { taskFiles } from "../../../src/hub/kept/kept-place.ts";
import { KeptTasks } from "../../../src/hub/kept/kept-tasks.ts";
import { OutputFile } from "../../../src/hub/kept/output-file.ts";
import { until } from "../../commands/process/until.ts";
import { connectTo, KeptPlace, TestClient } from "./kept-harness.ts";

const KIB = 1024;

function outputOf(text: string): { file: OutputFile; folder: string } {
  const folder = mkdtempSync(join(tmpdir(), "kept-output-"));
  writeFileSync(join(folder, taskFiles.output), text);
  return { file: new OutputFile(folder), folder };
}

describe("OutputFile", () => {
  test("gives pages of whole lines and, of a line that is longer, whole characters", () => {
    const { file } = outputOf(`${"line\n".repeat(10)}${"ü".repeat(40)}\nend`);
    const texts: string[] = [];
    let from = 0;
    for (let page = file.read(from, true, 33); ; page = file.read(from, true, 33)) {
      texts.push(...page.stretches);
      from = page.linesTo;
      if (page.pageTo === page.end) break;
      expect(page.linesTo).toBe(page.pageTo);
    }
    expect(texts.join("")).toBe(`${"line\n".repeat(10)}${"ü".repeat(40)}\nend`);
    expect(texts.join("")).not.toContain("\ufffd");
  });

  test("keeps offsets when its front is dropped, and reports the bytes that are gone", () => {
    const line = `${"x".repeat(63)}\n`;
    const { file, folder } = outputOf(line.repeat(16 * KIB));
    expect([file.end, file.heldBytes]).toEqual([1_024 * KIB, 1_024 * KIB]);
    expect(file.dropTo(200 * KIB)).toBe(true);
    expect([file.end, file.heldBytes]).toEqual([1_024 * KIB, 256 * KIB]);
    expect(statSync(join(folder, taskFiles.output)).blocks * 512).toBeLessThan(300 * KIB);
    const page = file.read(0, true);
    expect([page.lostBytes, page.linesTo]).toEqual([768 * KIB + 64, 1_024 * KIB]);
    expect(page.stretches.join("")).toBe(line.repeat(4 * KIB - 1));
  });
});

function openHub(place: KeptPlace, more: Partial<ConstructorParameters<typeof KeptTasks>[0]> = {}) {
  const lines: string[] = [];
  const log = (line: string): void => void lines.push(line);
  return new KeptTasks({ scorpioxDir: place.scorpioxDir, log, ...more });
}

describe("the output of kept tasks", () => {
  test("is held up to the bound of one task", async () => {
    using place = new KeptPlace();
    await using hub = openHub(place, { outputBytesMax: { task: 512 * KIB, all: 1e9 } });
    using client = new TestClient(place, connectTo(hub));
    const { taskId } = await client.start(
      "head -c 3000000 /dev/zero | tr '\\0' 'a'; echo; echo last; sleep 1000",
    );
    const { output } = place.task(taskId);
    await until(() => output.end > 3_000_000 && output.heldBytes <= 600 * KIB);
    const { lostBytes, stretches } = await client.read(taskId);
    expect(lostBytes).toBeGreaterThan(2_000_000);
    expect(stretches.join("")).toEndWith("last\n");
    await client.kill(taskId);
  });

  test("is held up to these bounds when its task ends before anybody looks", async () => {
    using place = new KeptPlace();
    await using hub = openHub(place, { outputBytesMax: { task: 512 * KIB, all: 1e9 } });
    using client = new TestClient(place, connectTo(hub));
    const { taskId } = await client.start("head -c 3000000 /dev/zero | tr '\\0' 'a'");
    await client.ended(taskId);
    const { output } = place.task(taskId);
    await until(() => output.end === 3_000_000 && output.heldBytes <= 600 * KIB);
  });

  test("is held up to the bound of all, those of the largest first", async () => {
    using place = new KeptPlace();
    await using hub = openHub(place, { outputBytesMax: { task: 1e9, all: 3_000 * KIB } });
    using client = new TestClient(place, connectTo(hub));
    const small = await client.start("echo small; sleep 1000");
    const large = await client.start("head -c 6000000 /dev/zero; sleep 1000");
    const { output } = place.task(large.taskId);
    await until(() => output.end >= 6_000_000 && output.heldBytes <= 3_100 * KIB);
    expect(await client.take(small.taskId)).toBe("small\n");
    await client.kill(small.taskId);
    await client.kill(large.taskId);
  });

  test("is held in a small window while the disk is nearly full, and nothing new is started", async () => {
    using place = new KeptPlace();
    let hasDisk = true;
    await using hub = openHub(place, { hasDisk: () => hasDisk });
    using client = new TestClient(place, connectTo(hub));
    const { taskId } = await client.start("while :; do head -c 500000 /dev/zero; sleep 0.1; done");
    const { output } = place.task(taskId);
    await until(() => output.heldBytes > 2_000 * KIB);
    hasDisk = false;
    await until(() => output.heldBytes < 1_500 * KIB);
    expect(client.start("true")).rejects.toThrow("nearly full: nothing was started");
    await client.kill(taskId);
  });

  test("that cannot be written any more ends the task with the reason", async () => {
    using place = new KeptPlace();
    await using hub = openHub(place);
    using client = new TestClient(place, connectTo(hub));
    const { taskId } = await client.start("sleep 1000");
    process.kill(place.task(taskId).processes!.relay.pid, "SIGKILL");
    const task = await client.ended(taskId);
    expect(task).toMatchObject({ state: "killed", endedBy: "killed" });
    expect(task.note).toContain("its output could not be written any more");
  });

  test("has lines written to /dev/stderr as well, and does not lose those before", async () => {
    using place = new KeptPlace();
    await using hub = openHub(place);
    using client = new TestClient(place, connectTo(hub));
    const { taskId } = await client.start(
      "echo one; echo two > /dev/stderr; echo three > /dev/stdout",
    );
    await client.ended(taskId);
    expect(await client.take(taskId)).toBe("one\ntwo\nthree\n");
    expect(readFileSync(join(place.taskFolder(taskId), taskFiles.output), "utf8")).toBe(
      "one\ntwo\nthree\n",
    );
  });

  test("of an earlier command is still in the pages of a long read", async () => {
    using place = new KeptPlace();
    await using hub = openHub(place);
    using client = new TestClient(place, connectTo(hub));
    const { taskId } = await client.start("seq 1 400000");
    await client.ended(taskId);
    let text = "";
    for (let part = await client.take(taskId); part !== ""; part = await client.take(taskId)) {
      text += part;
    }
    expect(text).toBe(Array.from({ length: 400_000 }, (_, index) => `${index + 1}\n`).join(""));
  });
});
