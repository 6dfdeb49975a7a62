import { describe, expect, test } from "bun:test";

import { KeptTasks } from "../../src/hub/kept/kept-tasks.ts";
import { TempTree } from "../config/temp-tree.ts";
import { connectTo, TestClient } from "../hub/kept/kept-harness.ts";
import { runIn } from "./fake-io.ts";

/** Kept tasks of the project, under a hub of this process. */
function keptIn(tree: TempTree): { hub: KeptTasks; client: TestClient } {
  const scorpioxDir = tree.path("home/.scorpiox");
  const hub = new KeptTasks({ scorpioxDir, log: (line) => console.error(line) });
  const place = { scorpioxDir, workspace: tree.path("project") };
  return { hub, client: new TestClient(place, connectTo(hub)) };
}

describe("bg list, bg read, bg kill", () => {
  test("show and end the kept tasks of the folder, without a hub", async () => {
    using tree = new TempTree({ "project/x": "" });
    const { hub, client } = keptIn(tree);
    await client.start("echo one; echo two; sleep 1000");
    await client.read(1_001, 10_000, 4);
    await hub[Symbol.asyncDispose]();

    const list = await runIn(tree, ["bg", "list"]);
    expect(list.stdout).toMatch(
      /^kept\/1001 in project {2}running for [\d.]+ m?s {2}echo one; echo two; sleep 1000\n$/,
    );
    const data = JSON.parse((await runIn(tree, ["bg", "list", "--json"])).stdout) as object;
    expect(data).toMatchObject({ tasks: [{ taskId: 1_001, isKept: true, outputBytes: 8 }] });
    const read = await runIn(tree, ["bg", "read", "1001"]);
    expect([read.stdout, read.exitCode]).toEqual(["one\ntwo\n", 0]);

    const killed = await runIn(tree, ["bg", "kill", "1001"]);
    expect(killed.stderr).toContain("Task 1001: killed (by the user, in a terminal) after");
    const again = await runIn(tree, ["bg", "kill", "1001", "--json"]);
    expect(JSON.parse(again.stdout)).toMatchObject({ state: "killed", wasRunning: false });
    client[Symbol.dispose]();
  });

  test.each([
    ["7", "No kept background task has the id 7. This workspace has none."],
    ["seven", "seven is not the id of a kept task."],
  ])("bg kill %s: %s", async (id, message) => {
    using tree = new TempTree({ "project/x": "" });
    const { exitCode, stderr } = await runIn(tree, ["bg", "kill", id]);
    expect(exitCode).not.toBe(0);
    expect(stderr).toContain(message);
  });
});
