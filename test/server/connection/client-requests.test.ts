import { describe, expect, test } from "bun:test";
import { Cancellation } from "../../../src/base/cancellation.ts";
import { AppError } from "../../../src/base/errors.ts";
import type { ResponseMessage } from "../../../src/protocol/message.ts";
import { ClientRequests } from "../../../src/server/connection/client-requests.ts";
import type { Outbox } from "../../../src/server/connection/replies.ts";

function start(): { requests: ClientRequests; lane: Outbox; sent: unknown[] } {
  const sent: unknown[] = [];
  const lane = { isCongested: false, send: (text: string) => sent.push(JSON.parse(text)) };
  return { requests: new ClientRequests(), lane, sent };
}

function response(id: string, result: unknown, error?: unknown): ResponseMessage {
  return { kind: "response", id, result, error };
}

describe("ClientRequests", () => {
  test("matches answers by id", async () => {
    const { requests, lane, sent } = start();
    const first = requests.request(lane, "a", undefined, 60_000);
    const second = requests.request(lane, "b", { x: 1 }, 60_000);
    requests.settle(response("server-2", "two"));
    requests.settle(response("server-9", "none"));
    requests.settle(response("server-1", "one"));
    requests.settle(response("server-1", "again"));
    expect(await Promise.all([first, second])).toEqual(["one", "two"]);
    expect(sent).toEqual([
      { jsonrpc: "2.0", id: "server-1", method: "a" },
      { jsonrpc: "2.0", id: "server-2", method: "b", params: { x: 1 } },
    ]);
  });

  test("gives up after the time and says so to the client", async () => {
    const { requests, lane, sent } = start();
    const asked = requests.request(lane, "a", undefined, 1);
    expect(asked).rejects.toEqual(
      new AppError("cancelled", "the client did not answer a within 1 ms"),
    );
    await asked.catch(() => undefined);
    expect(sent.at(-1)).toEqual({
      jsonrpc: "2.0",
      method: "notifications/cancelled",
      params: { requestId: "server-1", reason: "timed out" },
    });
  });

  test("a cancelled call takes its question back", async () => {
    const { requests, lane, sent } = start();
    const cancellation = new Cancellation();
    const asked = requests.request(lane, "a", undefined, 60_000, cancellation);
    cancellation.cancel();
    expect(await asked.catch((error: unknown) => error)).toEqual(
      new AppError("cancelled", "the call was cancelled"),
    );
    expect(sent.at(-1)).toEqual({
      jsonrpc: "2.0",
      method: "notifications/cancelled",
      params: { requestId: "server-1", reason: "no longer needed" },
    });
  });

  test("close() ends what is pending", async () => {
    const { requests, lane } = start();
    const asked = requests.request(lane, "a", undefined, 60_000);
    requests.close();
    expect(asked).rejects.toEqual(new AppError("cancelled", "the connection has ended"));
    await asked.catch(() => undefined);
  });
});
