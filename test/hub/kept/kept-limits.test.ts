import { describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

import { keptFolderIn, taskFiles } from "../../../src/hub/kept/kept-place.ts";
import { ownValue } from "../../../src/base/values.ts";
import { KeptTasks } from "../../../src/hub/kept/kept-tasks.ts";
import {
  readJson,
  type TaskEnd,
  type TaskRecord,
  writeJson,
} from "../../../src/hub/kept/task-record.ts";
import { TaskFolders } from "../../../src/hub/kept/task-folders.ts";
import { until } from "../../commands/process/until.ts";
import { connectTo, KeptPlace, startHub, TestClient } from "./kept-harness.ts";

function openHub(place: KeptPlace, more: Partial<ConstructorParameters<typeof KeptTasks>[0]> = {}) {
  return new KeptTasks({
    scorpioxDir: place.scorpioxDir,
    log: (line) => console.error(line),
    ...more,
  });
}

describe("ids of kept tasks", () => {
  test("are given out once by hubs that start tasks at the same time", async () => {
    using place = new KeptPlace();
    const hubs = await Promise.all([startHub(place.scorpioxDir), startHub(place.scorpioxDir)]);
    const clients = hubs.map(({ connect }) => new TestClient(place, connect));
    const started = await Promise.all(
      Array.from({ length: 16 }, (_, index) => clients[index % 2]!.start("sleep 1000")),
    );
    const ids = started.map(({ taskId }) => taskId).sort((one, other) => one - other);
    expect(ids).toEqual(Array.from({ length: 16 }, (_, index) => 1_001 + index));
    await Promise.all(ids.map((id) => clients[0]!.kill(id)));
    await Promise.all(hubs.map((hub) => hub.kill()));
  });

  test("are not reused when the files of all tasks are gone, and go on in another hub", async () => {
    using place = new KeptPlace();
    {
      await using hub = openHub(place);
      using client = new TestClient(place, connectTo(hub));
      await client.start("true");
      await client.ended(1_001);
    }
    rmSync(join(place.taskFolder(1_001), ".."), { recursive: true });
    await using hub = openHub(place);
    using client = new TestClient(place, connectTo(hub));
    expect((await client.start("true")).taskId).toBe(1_002);
    await client.ended(1_002);
  });

  test("are counted for each workspace; another's task cannot be read or ended", async () => {
    using place = new KeptPlace();
    await using hub = openHub(place);
    using client = new TestClient(place, connectTo(hub));
    const otherFolder = join(place.folder, "other");
    mkdirSync(otherFolder);
    const otherPlace = { scorpioxDir: place.scorpioxDir, workspace: otherFolder };
    using other = new TestClient(otherPlace, connectTo(hub));
    await client.start("sleep 1000");
    expect(await other.kept.list(other.client)).toEqual([]);
    expect(other.read(1_001)).rejects.toThrow("No kept background task has the id 1001");
    expect(other.kill(1_001)).rejects.toThrow("No kept background task has the id 1001");
    expect((await other.start("true")).taskId).toBe(1_001);
    expect((await client.task(1_001))?.state).toBe("running");
    await client.kill(1_001);
    await other.ended(1_001);
  });
});

describe("the hub refuses", () => {
  test("the seventeenth task of a workspace", async () => {
    using place = new KeptPlace();
    await using hub = openHub(place);
    using client = new TestClient(place, connectTo(hub));
    await Promise.all(Array.from({ length: 16 }, () => client.start("sleep 1000")));
    expect(client.start("true")).rejects.toThrow("16 kept tasks are running in this workspace");
    expect(hub.alive).toBe(16);
    const tasks = await client.kept.list(client.client);
    await Promise.all(tasks.map(({ taskId }) => client.kill(taskId)));
    expect(hub.alive).toBe(0);
  });

  test("a command whose folder is not the workspace, and one that was to be confined and is not", async () => {
    using place = new KeptPlace();
    const lines: string[] = [];
    await using hub = openHub(place, {
      audit: { add: (line) => void lines.push(line), flush: async () => {} },
    });
    using client = new TestClient(place, connectTo(hub), { audit: true });
    expect(client.start("true", { cwd: "/" })).rejects.toThrow("is not the workspace");
    const holdings = { tmpDir: join(place.folder, "none"), standIns: [] };
    const released = Promise.withResolvers<void>();
    const bounds = { env: {}, notes: [], holdings, release: async () => released.resolve() };
    const unwrapped = { ...bounds, wrap: (argv: readonly string[]) => argv };
    expect(client.start("true", { confinement: unwrapped })).rejects.toThrow(
      "it was to be confined",
    );
    await released.promise;
    const env = { ...bounds, wrap: (argv: readonly string[]) => ["/usr/bin/env", ...argv] };
    expect(client.start("true", { confinement: env })).rejects.toThrow("it was to be confined");
    await client.start("true");
    await client.ended(1_001);
    expect(lines.map((line) => JSON.parse(line) as Record<string, unknown>)).toMatchObject([
      { decision: "refused", pid: process.pid },
      { decision: "refused" },
      { decision: "refused" },
      { decision: "allowed", task: 1_001, command: "true", workspace: place.workspace },
    ]);
  });
});

describe("a kept task ends", () => {
  test("when its hours are over", async () => {
    using place = new KeptPlace();
    await using hub = openHub(place);
    using client = new TestClient(place, connectTo(hub), { keepHours: 1 / 3_600_000 });
    await client.start("sleep 1000");
    expect(await client.ended(1_001)).toMatchObject({ state: "timed_out", endedBy: "timeout" });
  });

  test("when its hours were over before a hub came to look", async () => {
    using place = new KeptPlace();
    const first = await startHub(place.scorpioxDir);
    using client = new TestClient(place, first.connect, { keepHours: 0 });
    await client.start("sleep 1000");
    await first.kill();
    const folder = place.taskFolder(1_001);
    const record = ownValue<TaskRecord>(readJson(folder, taskFiles.record));
    expect(record.endsAt).toBeNull();
    writeJson(folder, taskFiles.record, { ...record, endsAt: Date.now() - 1 });
    await using hub = openHub(place);
    await hub.begin();
    using next = new TestClient(place, connectTo(hub));
    expect(await next.ended(1_001)).toMatchObject({ state: "timed_out" });
  });
});

test("tasks that ended a day ago are removed, and their workspace with the last", async () => {
  using place = new KeptPlace();
  await using hub = openHub(place);
  using client = new TestClient(place, connectTo(hub));
  await client.start("true");
  await client.ended(1_001);
  await until(() => hub.alive === 0);
  const folder = place.taskFolder(1_001);
  const end = ownValue<TaskEnd>(readJson(folder, taskFiles.end));
  const folders = new TaskFolders(keptFolderIn(place.scorpioxDir));
  await folders.alone(() => folders.sweep());
  expect((await client.task(1_001))?.state).toBe("exited");
  await folders.alone(() => folders.sweep(end.endedAt + 86_400_001));
  expect(await client.kept.list(client.client)).toEqual([]);
  expect(folders.workspaces()).toEqual([]);
});

test("the command has the umask, the folder and the environment of its client, and no descriptors of the hub", async () => {
  using place = new KeptPlace();
  const mask = process.umask(0o026);
  const hub = await startHub(place.scorpioxDir);
  using client = new TestClient(place, hub.connect);
  const shown =
    "umask; pwd; echo $PWD; touch made; stat -c %a made; ls /proc/self/fd | tr '\\n' ' '";
  const confinement = {
    wrap: () => [],
    env: { FROM_BOUNDS: "x" },
    notes: [],
    release: async () => {},
  };
  await client.start(`${shown}; echo "$FROM_BOUNDS$HOME"`, { confinement });
  process.umask(mask);
  await client.ended(1_001);
  const folder = place.workspace;
  expect(await client.take(1_001)).toBe(`0026\n${folder}\n${folder}\n640\n0 1 2 3 x\n`);
  expect(readFileSync(join(place.taskFolder(1_001), taskFiles.record), "utf8")).not.toContain(
    "FROM_BOUNDS=",
  );
  await hub.kill();
});
