import { expect, test } from "bun:test";

import { EventStream } from "../../src/base/server-events.ts";
import { createAttachSources } from "../../src/compose/attach-sources.ts";
import { KeptTasks } from "../../src/hub/kept/kept-tasks.ts";
import { absentState } from "../calls/absent-services.ts";
import { SupervisorHarness } from "../commands/background/supervisor-harness.ts";
import { until } from "../commands/process/until.ts";
import { connectTo, KeptPlace, TestClient } from "../hub/kept/kept-harness.ts";

test("terminals list, follow and end the kept tasks of a client's workspace", async () => {
  using place = new KeptPlace();
  await using hub = new KeptTasks({ scorpioxDir: place.scorpioxDir, log: () => {} });
  using client = new TestClient(place, connectTo(hub));
  await client.start("echo one; sleep 1000");
  await using harness = new SupervisorHarness();
  const sources = createAttachSources({
    facts: { serverId: "x", pid: 1, version: "1", transport: "stdio", startedAt: 0 },
    clients: { recent: () => [client.client] },
    supervisor: harness.supervisor,
    kept: client.kept,
    services: absentState,
    hub: () => Promise.resolve(undefined),
    events: new EventStream(() => {}),
  });
  const { background } = await sources.state();
  expect(background).toMatchObject([{ client: "stdio", taskId: 1_001, state: "running" }]);
  const followed = sources.executionOf("stdio", 1_001)!;
  let changes = 0;
  const stop = followed.listen(() => changes++);
  await until(() => changes > 0);
  const [segment] = followed.output.read(0);
  expect(Buffer.from(segment?.bytes ?? []).toString()).toBe("one\n");
  expect(followed.isRunning).toBe(true);
  await sources.kill("stdio", 1_001);
  expect(followed.isRunning).toBe(false);
  expect((await client.task(1_001))?.endedBy).toBe("user");
  expect(sources.executionOf("stdio", 1_002)).toBeUndefined();
  stop();
});
