import { describe, expect, setDefaultTimeout, test } from "bun:test";

import { eventually } from "./harness/conditions.ts";
import { Gate } from "./harness/gate.ts";
import { envelope, metaKeys, textOf } from "./harness/messages.ts";
import { posixTest, testMsMax } from "./harness/platform.ts";
import { allGone, sleepers, uniqueSeconds } from "./harness/processes.ts";
import { Server, type ServerMessage } from "./harness/server.ts";
import { readOf, taskIdOf } from "./harness/told.ts";

setDefaultTimeout(testMsMax);

const extension = { "io.modelcontextprotocol/tasks": {} };
/** A client that is answered within a second. */
const hurried = { env: { SCORPIOX_CLIENT_BUDGET_MS: "3000" } };

/** Parameters of a request that declares the extension. */
function declaring(params: object = {}): object {
  return {
    ...params,
    _meta: { ...envelope, [metaKeys.capabilities]: { extensions: extension } },
  };
}

function bash(command: string, timeout = 30_000): object {
  return { name: "Bash", arguments: { command, timeout } };
}

function background(command: string): object {
  return { name: "BackgroundBash", arguments: { command } };
}

/** The id of the MCP task that a call was answered with. */
async function startTask(server: Server, call: object): Promise<string> {
  const { result } = await server.request("tools/call", declaring(call));
  expect(result).toEqual({
    resultType: "task",
    taskId: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
    status: "working",
    statusMessage: expect.any(String) as string,
    createdAt: expect.any(String) as string,
    lastUpdatedAt: expect.any(String) as string,
    ttlMs: result?.["ttlMs"] === null ? null : (expect.any(Number) as number),
    pollIntervalMs: 500,
    _meta: expect.any(Object) as object,
  });
  return String(result?.["taskId"]);
}

function ask(server: Server, method: string, taskId: string): Promise<ServerMessage> {
  return server.request(method, declaring({ taskId }));
}

/** The task when it has ended. */
function ended(server: Server, taskId: string): Promise<Record<string, unknown>> {
  return eventually("the end of the MCP task", async () => {
    const { result = {} } = await ask(server, "tasks/get", taskId);
    return result["status"] !== "working" && result;
  });
}

describe("the extension", () => {
  test("[tasks.declared] in server/discover, not in initialize, and not without such tools", async () => {
    await using server = new Server();
    const { result } = await server.request("server/discover", { _meta: envelope });
    expect(result?.["capabilities"]).toMatchObject({ extensions: extension });
    const { result: opened } = await server.initialize();
    expect(JSON.stringify(opened?.["capabilities"])).not.toContain("tasks");
    const names = ["BASH", "BACKGROUNDBASH", "ASKUSERQUESTION"];
    const env = Object.fromEntries(names.map((name) => [`TOOL_${name}`, "false"]));
    await using plain = new Server({ env });
    const discovered = await plain.request("server/discover", { _meta: envelope });
    expect(JSON.stringify(discovered.result)).not.toContain("/tasks");
    expect((await ask(plain, "tasks/get", "x")).error?.code).toBe(-32601);
  });

  posixTest("[tasks.not-declared] no task without it, and no methods", async () => {
    await using server = new Server(hurried);
    const call = { ...bash("sleep 30"), _meta: envelope };
    const handedOver = await server.request("tools/call", call);
    expect(taskIdOf(handedOver)).toBe(1);
    for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) {
      const params = { taskId: "x", inputResponses: {}, _meta: envelope };
      expect((await server.request(method, params)).error).toMatchObject({
        code: -32021,
        data: { requiredCapabilities: { extensions: extension } },
      });
    }
  });

  test("[tasks.ids] an unknown id", async () => {
    await using server = new Server();
    for (const method of ["tasks/get", "tasks/cancel"]) {
      expect((await ask(server, method, "0".repeat(32))).error?.code).toBe(-32602);
    }
  });
});

describe("tools as MCP tasks", () => {
  posixTest("[tasks.bash] a slow Bash, and a quick one", async () => {
    await using server = new Server(hurried);
    const quick = await server.request("tools/call", declaring(bash("echo quick")));
    expect([quick.result?.["resultType"], textOf(quick)]).toEqual(["complete", "quick\n"]);
    using gate = new Gate();
    const taskId = await startTask(server, bash(`${gate.command("a", "b")}; exit 3`));
    gate.open();
    const { status, result } = await ended(server, taskId);
    expect(status).toBe("completed");
    expect(result).toMatchObject({ resultType: "complete", isError: true });
    expect(textOf({ result } as ServerMessage)).toBe("a\nb\nexit code: 3");
    const list = await server.request("tools/call", declaring({ name: "ListBgTasks" }));
    expect(textOf(list)).toBe("No background tasks.");
  });

  posixTest(
    "[tasks.background] the other tools know it, and it ends with its command",
    async () => {
      await using server = new Server();
      using gate = new Gate();
      const command = `echo up; ${gate.wait}; exit 4`;
      const taskId = await startTask(server, background(command));
      const { result } = await ask(server, "tasks/get", taskId);
      expect(result).toMatchObject({
        status: "working",
        ttlMs: null,
        statusMessage: expect.stringMatching(/^Background task 1: echo up; : < /) as string,
      });
      const read = { name: "ReadBgOutput", arguments: { task_id: 1, wait_ms: 10_000 } };
      const { output } = readOf(await server.request("tools/call", declaring(read)));
      expect(output).toBe("up\n");
      gate.open();
      const { status, result: final } = await ended(server, taskId);
      expect(status).toBe("completed");
      expect(final).toMatchObject({
        content: [{ text: expect.stringMatching(/\nTask 1: failed with exit code 4 /) as string }],
        isError: true,
      });
    },
  );

  posixTest("[tasks.cancel] tasks/cancel ends the process group, of both tools", async () => {
    await using server = new Server(hurried);
    for (const call of [bash, background]) {
      const seconds = uniqueSeconds();
      const command = `sleep ${seconds} & sleep ${seconds}`;
      const taskId = await startTask(server, call(command));
      await eventually("two sleepers", () => sleepers(seconds) === 2);
      const { result } = await ask(server, "tasks/cancel", taskId);
      expect(result).toEqual({ resultType: "complete", _meta: expect.any(Object) as object });
      expect((await ended(server, taskId))["status"]).toBe("cancelled");
      await allGone(`sleep ${seconds}`, 6_000);
      expect((await ask(server, "tasks/cancel", taskId)).error).toBeUndefined();
    }
  });

  posixTest("[tasks.cancel] so does the end of the client", async () => {
    await using server = new Server(hurried);
    const seconds = [uniqueSeconds(), uniqueSeconds()];
    const [first, second] = seconds.map((each) => `sleep ${each} & sleep ${each}`);
    await startTask(server, bash(first ?? ""));
    await startTask(server, background(second ?? ""));
    for (const each of seconds) {
      await eventually("two sleepers", () => sleepers(each) === 2);
    }
    server.endInput();
    expect(await server.ended()).toBe(0);
    for (const each of seconds) await allGone(`sleep ${each}`, 1_000);
  });

  posixTest(
    "[tasks.request] notifications/cancelled for the answered request does nothing",
    async () => {
      await using server = new Server();
      using gate = new Gate();
      const id = server.start("tools/call", declaring(background(gate.wait)));
      const { result } = await server.reply(id);
      server.notify("notifications/cancelled", { requestId: id });
      // What follows on the pipe is read after it.
      await ask(server, "tasks/get", "x");
      gate.open();
      const task = await ended(server, String(result?.["taskId"]));
      expect(task).toMatchObject({ status: "completed", result: { isError: false } });
    },
  );

  posixTest("[tasks.listen] states are told as they come", async () => {
    await using server = new Server();
    using gate = new Gate();
    const taskId = await startTask(server, background(gate.wait));
    const id = server.start(
      "subscriptions/listen",
      declaring({ notifications: { taskIds: [taskId] } }),
    );
    const subscription = { [metaKeys.subscription]: id };
    const told = (status: string): Promise<ServerMessage> =>
      server.message(
        `${status} told`,
        ({ method, params }) => method === "notifications/tasks" && params?.["status"] === status,
      );
    for (const status of ["working", "completed"]) {
      expect((await told(status)).params).toMatchObject({ taskId, _meta: subscription });
      gate.open();
    }
  });
});
