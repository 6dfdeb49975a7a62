import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";

import { ensureBuilt, productBinary } from "./harness/binary.ts";
import { eventually } from "./harness/conditions.ts";
import { mirrored, modernMessage, onlyMessage } from "./harness/http-client.ts";
import { HttpServer } from "./harness/http-server.ts";
import { textOf } from "./harness/messages.ts";
import { testMsMax } from "./harness/platform.ts";
import { upstreamHome } from "./harness/upstream-home.ts";

setDefaultTimeout(testMsMax);
ensureBuilt(productBinary);

/** How many calls of `hang` the scripted server has got. */
function hangs(log: string): number {
  if (!existsSync(log)) return 0;
  return readFileSync(log, "utf8").split('"name":"hang"').length - 1;
}

describe.each(["legacy", "modern"] as const)("a %s server and clients over HTTP", (era) => {
  test("[gateway.gw-28] the end of a stateless client's response is a cancellation, that of a session's is none", async () => {
    using files = upstreamHome({});
    const logFile = files.at("log");
    using home = upstreamHome({ own: [{ era, probe: "error", logFile }] });
    await using server = await HttpServer.start({ home });
    const { client } = server;
    const cancelled = async (): Promise<string> => {
      const answer = await client.modern("tools/call", { name: "mcp__own__cancelled" });
      return textOf(onlyMessage(answer));
    };
    const call = { name: "mcp__own__hang", arguments: {} };
    /** Sends a call, waits until it is at the server, and hangs up. */
    const hangUpDuring = async (
      message: object,
      headers: Readonly<Record<string, string>>,
      count: number,
    ): Promise<void> => {
      const leaving = new AbortController();
      const response = client
        .fetch({ headers, body: JSON.stringify(message) }, leaving.signal)
        .then((answer) => answer.text());
      await eventually("it is called", () => hangs(logFile) === count);
      leaving.abort();
      await response.catch(() => {});
    };
    expect(await cancelled()).toBe("0");
    const stateless = modernMessage("m", "tools/call", call);
    await hangUpDuring(stateless, mirrored(stateless), 1);
    await eventually("it is cancelled", async () => (await cancelled()) === "1");
    const session = await server.initialize();
    const sessions = { jsonrpc: "2.0", id: "s", method: "tools/call", params: call };
    await hangUpDuring(sessions, session.headers, 2);
    expect(textOf(await session.call("mcp__own__echo", { text: "goes on" }))).toBe("goes on");
    expect(await cancelled()).toBe("1");
    await session.notify("notifications/cancelled", { requestId: "s" });
    await eventually("it is cancelled", async () => (await cancelled()) === "2");
  });
});
