import { expect, spyOn, test } from "bun:test";

import { Changes } from "../../../src/calls/features.ts";
import { ServerContext } from "../../../src/server/context/server-context.ts";
import { SsePairSession } from "../../../src/server/http/sse-pair.ts";
import { Heartbeat } from "../../../src/server/http/sse-stream.ts";
import { EventMemory } from "../../../src/server/transport/http/event-store.ts";
import { FakeTools } from "../harness.ts";

function createSession(): SsePairSession {
  return new SsePairSession({
    id: "id",
    principal: { id: "local", scopes: undefined },
    server: new ServerContext({
      features: { tools: new FakeTools(), changes: new Changes(), changing: new Set() },
      instructions: "",
      stateKey: () => Promise.resolve(new Uint8Array(32)),
    }),
    memory: new EventMemory(),
    profile: ({ id }) => ({
      id,
      limitsFor: () => ({ answerMs: 1, resultCharsMax: 1 }),
      fallbackDir: "/",
    }),
  });
}

test("SsePairSession gives signs of life until its stream is closed", async () => {
  const heartbeat = new Heartbeat();
  const [add, remove] = [spyOn(heartbeat, "add"), spyOn(heartbeat, "delete")];
  const session = createSession();
  const response = session.open("/messages?session=id", heartbeat, () => {
    throw new Error("nobody has gone");
  });
  session.beat();
  session.closeStreams();
  session.beat();
  session.send("{}");
  expect(await response.text()).toBe(
    "event: endpoint\ndata: /messages?session=id\n\n: keep-alive\n\n",
  );
  expect([add.mock.calls, remove.mock.calls]).toEqual([[[session]], [[1]]]);
});
