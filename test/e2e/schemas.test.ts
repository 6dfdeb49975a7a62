import { describe, expect, setDefaultTimeout, test } from "bun:test";

import { legacyVersions, modern, modernVersion, taskIdOf } from "./harness/messages.ts";
import { testMsMax } from "./harness/platform.ts";
import { hasSchemas, SchemaOf } from "./harness/schemas.ts";
import { Server, type ServerMessage } from "./harness/server.ts";

setDefaultTimeout(testMsMax);

const allVersions = [...legacyVersions, modernVersion] as const;

/** Talks about everything there is, and returns the results by the name of their type. */
async function conversation(server: Server, version: string): Promise<Map<string, unknown[]>> {
  const isModern = version === modernVersion;
  const shape = isModern ? modern : (params: Record<string, unknown> = {}) => params;
  const first = isModern
    ? await server.request("server/discover", modern())
    : await server.initialize(version);
  const list = await server.request("tools/list", shape());
  const call = (name: string, args: object): Promise<ServerMessage> =>
    server.request("tools/call", shape({ name, arguments: args }));
  const withProgress = shape({
    name: "Bash",
    arguments: { command: "echo a; sleep 0.2; echo b" },
  });
  withProgress["_meta"] = { ...(withProgress["_meta"] as object), progressToken: "t" };
  const task = await call("BackgroundBash", { command: "echo task" });
  const results = [
    await call("Bash", { command: "seq 1 30000" }),
    await call("Bash", { command: "exit 4" }),
    await server.request("tools/call", withProgress),
    task,
    await call("ListBgTasks", {}),
  ];
  if (version >= "2025-06-18") {
    const task_id = taskIdOf(task);
    results.push(await call("ReadBgOutput", { task_id, wait_ms: 1_000 }));
    results.push(await call("KillBgTask", { task_id }));
  }
  await call("Nope", {});
  await call("Bash", { colour: "red" });
  await server.request("no/such", shape());
  return new Map<string, unknown[]>([
    [isModern ? "DiscoverResult" : "InitializeResult", [first.result]],
    ["ListToolsResult", [list.result]],
    ["CallToolResult", results.map(({ result }) => result)],
  ]);
}

function typeOf(message: ServerMessage, schema: SchemaOf): string {
  if (message.method !== undefined) return "ServerNotification";
  if (message.error === undefined) return "JSONRPCResponse";
  return schema.has("JSONRPCErrorResponse") ? "JSONRPCErrorResponse" : "JSONRPCError";
}

describe.skipIf(!hasSchemas)("against the specification's schemas", () => {
  test.each(allVersions)("[protocol.schema] the validator finds faults in %s", (version) => {
    expect(new SchemaOf(version).faultIn("CallToolResult", { content: 5 })).toBeString();
  });

  test.each(allVersions)("[protocol.schema] every message of %s validates", async (version) => {
    const schema = new SchemaOf(version);
    await using server = new Server();
    const results = await conversation(server, version);
    const faults = [...results].flatMap(([name, values]) =>
      values.map((value) => schema.faultIn(name, value)),
    );
    for (const message of server.messages) {
      faults.push(schema.faultIn(typeOf(message, schema), message));
    }
    expect(faults.filter((fault) => fault !== undefined)).toEqual([]);
    expect(server.messages.some(({ method }) => method === "notifications/progress")).toBe(true);
  });
});
