import { expect, test } from "bun:test";
import { subscriptionsMax } from "../../../src/base/limits.ts";
import { Changes } from "../../../src/calls/features.ts";
import { classifyMessage } from "../../../src/protocol/message.ts";
import type { ReplyLane } from "../../../src/server/connection/replies.ts";
import { createConnection, ServerContext } from "../../../src/server/context/server-context.ts";
import { Dispatcher } from "../../../src/server/dispatcher.ts";
import { until } from "../../commands/process/until.ts";
import { ownMeta } from "../../protocol/own-meta.ts";
import { modern, result } from "../harness.ts";

const SUB = "io.modelcontextprotocol/subscriptionId";

/** A response to one request, as over HTTP. */
class FakeLane implements ReplyLane {
  readonly isCongested = false;
  readonly sent: string[] = [];
  readonly replies: (string | undefined)[] = [];

  send(text: string): void {
    this.sent.push(text);
  }

  reply(text: string | undefined): void {
    this.replies.push(text);
  }
}

test("HP9: a subscription that is dropped over HTTP ends with its result, and without a notification", async () => {
  const server = new ServerContext({
    features: {
      tools: { list: () => [], call: () => Promise.reject(new Error("none")) },
      changes: new Changes(),
      changing: new Set(["tools"]),
    },
    instructions: "",
    stateKey: () => Promise.resolve(new Uint8Array(32)),
  });
  const limits = { answerMs: 0, resultCharsMax: 1 };
  const profile = { id: "c", limitsFor: () => limits, fallbackDir: "/" };
  const first = new FakeLane();
  const connection = { ...createConnection(server, profile, first), endsByNotification: false };
  const dispatcher = new Dispatcher(connection);
  for (let id = 0; id <= subscriptionsMax; id += 1) {
    const message = modern(id, "subscriptions/listen", { notifications: {} });
    dispatcher.receive(classifyMessage(message), id === 0 ? first : new FakeLane());
  }
  await until(() => first.replies.length > 0);
  expect(first.sent.length).toBe(1);
  expect(first.replies.map((text) => JSON.parse(text ?? "null") as unknown)).toEqual([
    result(0, { resultType: "complete", _meta: { [SUB]: 0, ...ownMeta } }),
  ]);
  connection.inFlight.cancelAll();
  await connection.inFlight.settled();
});
