import { afterAll, beforeAll, describe, expect, setDefaultTimeout } from "bun:test";

import { eventually } from "./harness/conditions.ts";
import type { HttpClient } from "./harness/http-client.ts";
import { HttpServer } from "./harness/http-server.ts";
import { metaKeys } from "./harness/messages.ts";
import { posixTest, testMsMax } from "./harness/platform.ts";
import { allGone, sleepers, uniqueSeconds } from "./harness/processes.ts";

setDefaultTimeout(testMsMax);

const laptop = "laptop-token-of-the-test";
const desk = "desk-token-of-the-test-too";
type Params = Readonly<Record<string, unknown>>;

let server: HttpServer;
beforeAll(async () => {
  server = await HttpServer.start({
    tokens: [`laptop ${laptop}`, `desk ${desk}`],
    args: ["--commands", "trusted"],
    // Bash becomes an MCP task after half a second.
    env: { SCORPIOX_CLIENT_BUDGET_MS: "1000" },
  });
});
afterAll(() => server[Symbol.asyncDispose]());

/** Parameters of a request that declares the extension. */
function declaring(params: Params, more: Params = {}): Params {
  const capabilities = { extensions: { "io.modelcontextprotocol/tasks": {} } };
  return { ...params, _meta: { [metaKeys.capabilities]: capabilities, ...more } };
}

function bash(command: string): Params {
  return { name: "Bash", arguments: { command } };
}

async function ask(client: HttpClient, method: string, params: Params): Promise<Params> {
  const { messages } = await client.modern(method, declaring(params));
  const [reply] = messages;
  return reply?.result ?? { ...reply?.error };
}

/** The task when it has ended. */
function ended(taskId: unknown): Promise<Params> {
  return eventually("the end of the MCP task", async () => {
    const task = await ask(server.client, "tasks/get", { taskId });
    return task["status"] !== "working" && task;
  });
}

describe("MCP tasks over HTTP", () => {
  posixTest("[tasks.owner] to another token the id is unknown", async () => {
    const params = { name: "BackgroundBash", arguments: { command: "sleep 300" } };
    const { taskId } = await ask(server.client, "tools/call", params);
    const other = server.client.withToken(desk);
    const unknown = `Invalid params: there is no MCP task "${String(taskId)}"; it may have expired`;
    for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) {
      const refused = await ask(other, method, { taskId, inputResponses: {} });
      expect(refused).toEqual({ code: -32602, message: unknown });
    }
    const own = await ask(server.client, "tasks/get", { taskId });
    expect(own["status"]).toBe("working");
    await ask(server.client, "tasks/cancel", { taskId });
    expect((await ended(taskId))["status"]).toBe("cancelled");
  });

  posixTest(
    "[tasks.stream] the stream ends with the task's making, and the task goes on",
    async () => {
      const params = declaring(bash("echo a; sleep 5; echo b"), { progressToken: "p" });
      const { messages } = await server.client.modern("tools/call", params);
      const created = messages.at(-1)?.result;
      expect(created).toMatchObject({ resultType: "task", status: "working" });
      // Progress of what came before, if anything did in time.
      const others = messages
        .slice(0, -1)
        .filter(({ method }) => method !== "notifications/progress");
      expect(others).toEqual([]);
      expect(await ended(created?.["taskId"])).toMatchObject({
        status: "completed",
        result: {
          content: [{ type: "text", text: expect.stringMatching(/^a\nb\n/) as string }],
        },
      });
    },
  );

  posixTest("[tasks.stream] a connection that closes before ends the call", async () => {
    await using patient = await HttpServer.start();
    const marker = uniqueSeconds();
    const command = bash(`trap '' TERM; sleep ${marker}; :`);
    const open = await patient.client.openModern("tools/call", declaring(command));
    await eventually("the command", () => sleepers(marker) === 1);
    await open.close();
    await allGone(`sleep ${marker}`);
  });
});
