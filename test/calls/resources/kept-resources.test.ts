import { expect, test } from "bun:test";

import { Cancellation } from "../../../src/base/cancellation.ts";
import type { ClientContext } from "../../../src/calls/call.ts";
import { Changes } from "../../../src/calls/features.ts";
import { OwnResources } from "../../../src/calls/resources/own-resources.ts";
import { KeptTasks } from "../../../src/hub/kept/kept-tasks.ts";
import { SupervisorHarness } from "../../commands/background/supervisor-harness.ts";
import { connectTo, KeptPlace, TestClient } from "../../hub/kept/kept-harness.ts";

async function readText(resources: OwnResources, uri: string, client: ClientContext) {
  const context = { version: "2025-11-25", client, cancellation: new Cancellation() } as const;
  const [content] = (await resources.read(uri, context))?.contents ?? [];
  return content !== undefined && "text" in content ? content.text : undefined;
}

test("kept tasks are resources of each client of their workspace, with the end of their output", async () => {
  using place = new KeptPlace();
  await using hub = new KeptTasks({ scorpioxDir: place.scorpioxDir, log: () => {} });
  using client = new TestClient(place, connectTo(hub));
  await client.start("echo printed; exit 2");
  await client.start("seq 1 300000");
  await Promise.all([client.ended(1_001), client.ended(1_002)]);
  await using harness = new SupervisorHarness();
  const { supervisor, savedOutputs } = harness;
  const { kept } = client;
  const resources = new OwnResources({
    supervisor,
    savedOutputs,
    kept: {
      mayHave: () => true,
      list: (one) => kept.list(one),
      read: (request, call) => kept.read(request, call),
    },
    changes: new Changes(),
    state: [],
  });
  using other = new TestClient(place, connectTo(hub));
  const listed = await resources.list(other.client);
  expect(listed.map(({ uri }) => uri)).toEqual([
    "scorpiox://background/1001",
    "scorpiox://background/1002",
  ]);
  const short = await readText(resources, "scorpiox://background/1001", other.client);
  expect(short).toMatch(
    /^Background task 1001 \(kept\): failed with exit code 2 after .*\.\nCommand: echo printed; exit 2\nOutput: 8 bytes so far\.\n\nprinted\n$/,
  );
  const long = await readText(resources, "scorpiox://background/1002", other.client);
  expect(long).toContain("bytes are left out here");
  expect(long).toEndWith("300000\n");
  // Looking moves nobody's place.
  expect((await other.task(1_001))?.unreadBytes).toBe(8);
  expect(await readText(resources, "scorpiox://background/1003", other.client)).toBeUndefined();
});
