import { describe, expect, setDefaultTimeout, test } from "bun:test";

import { legacyVersions, modern, modernVersion } from "./harness/messages.ts";
import { testMsMax } from "./harness/platform.ts";
import { hasSchemas } from "./harness/schemas.ts";
import { Server, type ServerMessage } from "./harness/server.ts";
import { WireCheck } from "./harness/wire-check.ts";
import { taskIdOf } from "./harness/told.ts";

setDefaultTimeout(testMsMax);

const allVersions = [...legacyVersions, modernVersion] as const;

/** Talks about everything there is. */
async function converse(server: Server, version: string): Promise<void> {
  const isModern = version === modernVersion;
  const shape = isModern ? modern : (params: Record<string, unknown> = {}) => params;
  if (isModern) await server.request("server/discover", modern());
  else await server.initialize(version);
  await server.request("tools/list", shape());
  const call = (name: string, args: object): Promise<ServerMessage> =>
    server.request("tools/call", shape({ name, arguments: args }));
  const withProgress = shape({
    name: "Bash",
    arguments: { command: "echo a; sleep 0.2; echo b" },
  });
  withProgress["_meta"] = { ...(withProgress["_meta"] as object), progressToken: "t" };
  const task = await call("BackgroundBash", { command: "echo task" });
  await call("Bash", { command: "seq 1 30000" });
  await call("Bash", { command: "exit 4" });
  await server.request("tools/call", withProgress);
  await call("ListBgTasks", {});
  if (version >= "2025-06-18") {
    const task_id = taskIdOf(task);
    await call("ReadBgOutput", { task_id, wait_ms: 1_000 });
    await call("KillBgTask", { task_id });
  }
  await call("Nope", {});
  await call("Bash", { colour: "red" });
  await server.request("no/such", shape());
}

const call = (id: unknown, _meta?: object): object => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name: "Bash", ...(_meta === undefined ? {} : { _meta }) },
});
const modernCall = call(1, modern()["_meta"] as object);
const result = (value: object): object => ({ jsonrpc: "2.0", id: 1, result: value });
const progress = (params: object): object => ({
  jsonrpc: "2.0",
  method: "notifications/progress",
  params,
});
const good = { content: [] };

describe.skipIf(!hasSchemas)("against the specification's schemas", () => {
  test.each<[string, object, object[]]>([
    ["content of a wrong type", call(1), [result({ content: 5 })]],
    ["a modern result without resultType", modernCall, [result(good)]],
    ["a legacy result with one", call(1), [result({ ...good, resultType: "complete" })]],
    ["a second reply", call(1), [result(good), result(good)]],
    ["an id that is null", call(1), [{ jsonrpc: "2.0", id: null, result: good }]],
    ["progress without a token", call(1), [progress({ progress: 1 })]],
    [
      "a notification that does not exist",
      call(1),
      [{ jsonrpc: "2.0", method: "notifications/x" }],
    ],
    ["a request to a modern client", modernCall, [{ jsonrpc: "2.0", id: 1, method: "roots/list" }]],
    ["a task without times", modernCall, [result({ resultType: "task", taskId: "1" })]],
  ])("[protocol.schema] the harness finds %s", (_, sent, received) => {
    const check = new WireCheck();
    check.sent(sent);
    for (const message of received) check.received(JSON.stringify(message));
    expect(check.faults()).not.toBeEmpty();
  });

  test.each(allVersions)("[protocol.schema] every message of %s validates", async (version) => {
    // The harness looks at every message when the server has ended.
    await using server = new Server();
    await converse(server, version);
    expect(server.messages.some(({ method }) => method === "notifications/progress")).toBe(true);
  });
});
