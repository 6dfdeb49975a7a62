import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { ownValue } from "../../../src/base/values.ts";
import { readProcStat } from "../../../src/commands/process/processes.ts";
import { taskFiles } from "../../../src/hub/kept/kept-place.ts";
import {
  readJson,
  type TaskProcesses,
  type TaskRecord,
  writeJson,
} from "../../../src/hub/kept/task-record.ts";
import { until } from "../../commands/process/until.ts";
import { KeptPlace, startHub, TestClient } from "./kept-harness.ts";

function isRunning(pid: number): boolean {
  return ![undefined, "Z", "X"].includes(readProcStat(pid)?.state);
}

const releaseFile = (place: KeptPlace): string => join(place.folder, "go");
/** Prints, and ends with code 5 when it is allowed to. */
const waiting = (place: KeptPlace): string =>
  `echo begun; until [ -e ${releaseFile(place)} ]; do sleep 0.02; done; echo done; exit 5`;
const allow = (place: KeptPlace): void => writeFileSync(releaseFile(place), "");

describe("a hub that is killed", () => {
  test("leaves the task running; the next one takes it over and learns its exit code", async () => {
    using place = new KeptPlace();
    const first = await startHub(place.scorpioxDir);
    using client = new TestClient(place, first.connect);
    const { taskId, pid } = await client.start(waiting(place));
    expect(await client.take(taskId, 10_000)).toBe("begun\n");
    await first.kill();
    expect(isRunning(pid)).toBe(true);

    const second = await startHub(place.scorpioxDir);
    expect(second.alive).toBe(1);
    using next = new TestClient(place, second.connect);
    expect(await next.task(taskId)).toMatchObject({ state: "running", pid });
    allow(place);
    expect(await next.ended(taskId)).toMatchObject({ state: "failed", exitCode: 5 });
    expect(await next.take(taskId)).toContain("done\n");
    await second.kill();
  });

  test("misses the end of a task; the next one finds it with the rest of its output", async () => {
    using place = new KeptPlace();
    const first = await startHub(place.scorpioxDir);
    using client = new TestClient(place, first.connect);
    const { taskId, pid } = await client.start(waiting(place));
    await client.take(taskId, 10_000);
    await first.kill();
    allow(place);
    await until(() => !isRunning(pid));

    const second = await startHub(place.scorpioxDir);
    expect(second.alive).toBe(0);
    using next = new TestClient(place, second.connect);
    expect(await next.task(taskId)).toMatchObject({ state: "failed", exitCode: 5 });
    expect(await next.take(taskId)).toBe("begun\ndone\n");
    await second.kill();
  });

  test("is replaced by one that ends the whole family of its task", async () => {
    using place = new KeptPlace();
    const pidFile = join(place.folder, "daemon");
    const first = await startHub(place.scorpioxDir);
    using client = new TestClient(place, first.connect);
    const daemon = `setsid sh -c 'echo $$ > ${pidFile}; exec sleep 1000' & disown; echo up; sleep 1000`;
    const { taskId } = await client.start(`(env -i ${daemon})`);
    await client.take(taskId, 10_000);
    await until(() => existsSync(pidFile) && readFileSync(pidFile, "utf8").endsWith("\n"));
    await first.kill();

    const second = await startHub(place.scorpioxDir);
    using next = new TestClient(place, second.connect);
    expect(isRunning(Number(readFileSync(pidFile, "utf8")))).toBe(true);
    expect((await next.kill(taskId)).task).toMatchObject({ state: "killed", endedBy: "killed" });
    expect(isRunning(Number(readFileSync(pidFile, "utf8")))).toBe(false);
    await second.kill();
  });
});

test("tasks of a living hub are read and ended by another one, which does not take them over", async () => {
  using place = new KeptPlace();
  const first = await startHub(place.scorpioxDir);
  const second = await startHub(place.scorpioxDir);
  using client = new TestClient(place, first.connect);
  using other = new TestClient(place, second.connect);
  const { taskId } = await client.start("echo here; sleep 1000");
  expect(await other.take(taskId, 10_000)).toBe("here\n");
  const { taskId: otherId } = await other.start("sleep 1000");
  expect([taskId, otherId]).toEqual([1_001, 1_002]);
  expect((await other.kill(taskId)).task.state).toBe("killed");
  expect(await client.ended(taskId)).toMatchObject({ state: "killed" });
  expect((await client.kill(otherId)).wasRunning).toBe(true);
  await first.kill();
  await second.kill();
});

describe("a record from before", () => {
  /** A task that runs, whose hub is gone. */
  async function orphaned(place: KeptPlace): Promise<{ taskId: number; pid: number }> {
    const hub = await startHub(place.scorpioxDir);
    using client = new TestClient(place, hub.connect);
    const { taskId, pid } = await client.start("echo printed; sleep 1000");
    await client.read(taskId, 10_000);
    await hub.kill();
    return { taskId, pid };
  }

  async function stateAt(place: KeptPlace, taskId: number) {
    const hub = await startHub(place.scorpioxDir);
    using client = new TestClient(place, hub.connect);
    const task = await client.task(taskId);
    const text = await client.take(taskId);
    const log = hub.kill().then(() => hub.log());
    return { task, text, alive: hub.alive, log: await log };
  }

  function end(pid: number): void {
    process.kill(-pid, "SIGKILL");
  }

  test("of an earlier start of the machine is lost, with its output; nothing is signalled", async () => {
    using place = new KeptPlace();
    const { taskId, pid } = await orphaned(place);
    const folder = place.taskFolder(taskId);
    const record = ownValue<TaskRecord>(readJson(folder, taskFiles.record));
    const machine = { ...record.machine, bootId: "an earlier one" };
    writeJson(folder, taskFiles.record, { ...record, machine });
    const { task, text, alive } = await stateAt(place, taskId);
    expect(task).toMatchObject({ state: "lost", note: "the machine was restarted while it ran" });
    expect([text, alive]).toEqual(["printed\n", 0]);
    end(pid);
  });

  test("that is torn is lost, with its output", async () => {
    using place = new KeptPlace();
    const { taskId, pid } = await orphaned(place);
    end(pid);
    writeFileSync(join(place.taskFolder(taskId), taskFiles.record), '{"format":1,"id":10');
    const { task, text } = await stateAt(place, taskId);
    expect(task).toMatchObject({ state: "lost", note: "its record cannot be read" });
    expect(text).toBe("printed\n");
  });

  test("whose process number belongs to another process now is not signalled", async () => {
    using place = new KeptPlace();
    const { taskId, pid } = await orphaned(place);
    end(pid);
    await until(() => !isRunning(pid));
    await using stranger = Bun.spawn(["sleep", "1000"], {
      detached: true,
      stdio: ["ignore", "ignore", "ignore"],
    });
    const folder = place.taskFolder(taskId);
    const processes = ownValue<TaskProcesses>(readJson(folder, taskFiles.processes));
    // Its time is another one, though the two may have started within one tick of the system's clock.
    const start = String(Number(processes.leader.start) - 1);
    const leader = { pid: stranger.pid, start };
    writeJson(folder, taskFiles.processes, { ...processes, leader });
    const { task, alive } = await stateAt(place, taskId);
    expect(task).toMatchObject({ state: "lost", note: "its end was not seen" });
    expect([alive, stranger.exitCode, stranger.signalCode]).toEqual([0, null, null]);
  });

  test("without the numbers of its processes is found by its mark", async () => {
    using place = new KeptPlace();
    const { taskId, pid } = await orphaned(place);
    rmSync(join(place.taskFolder(taskId), taskFiles.processes));
    const hub = await startHub(place.scorpioxDir);
    using client = new TestClient(place, hub.connect);
    expect([hub.alive, (await client.task(taskId))?.state]).toEqual([1, "running"]);
    expect((await client.kill(taskId)).task.state).toBe("killed");
    expect(isRunning(pid)).toBe(false);
    await hub.kill();
  });

  test("of another container is not shown", async () => {
    using place = new KeptPlace();
    const { taskId, pid } = await orphaned(place);
    const folder = place.taskFolder(taskId);
    const record = ownValue<TaskRecord>(readJson(folder, taskFiles.record));
    const machine = { ...record.machine, processSpace: "pid:[1]" };
    writeJson(folder, taskFiles.record, { ...record, machine });
    const hub = await startHub(place.scorpioxDir);
    using client = new TestClient(place, hub.connect);
    expect([hub.alive, await client.kept.list(client.client)]).toEqual([0, []]);
    expect(isRunning(pid)).toBe(true);
    await hub.kill();
    end(pid);
  });
});
