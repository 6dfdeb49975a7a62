import { describe, expect, test } from "bun:test";

import type { InputRequest } from "../../../src/protocol/input-request.ts";
import type { Params } from "../../../src/protocol/json-rpc.ts";
import type {
  ConnectionReply,
  ConnectionRequest,
} from "../../../src/upstream/connect/connection.ts";
import type { UpstreamScript } from "../../fixtures/upstream/script.ts";
import { openScripted, toolCall, type Transport, until } from "./open-scripted.ts";

type Era = "legacy" | "modern";

const pairs: readonly (readonly [Transport, Era])[] = [
  ["stdio", "legacy"],
  ["stdio", "modern"],
  ["http", "legacy"],
  ["http", "modern"],
];

const extension = "io.modelcontextprotocol/tasks";

/** A server with a tool that is a task, and those that show what it noticed. */
function taskScript(era: Era, more: UpstreamScript = {}): UpstreamScript {
  return {
    era,
    http: { reply: "sse" },
    tools: [
      { name: "work", inputSchema: { type: "object" }, execution: { taskSupport: "required" } },
      "cancelled",
      "echo",
      "elicit",
      "hang",
    ],
    capabilities:
      era === "legacy"
        ? { tasks: { cancel: {}, requests: { tools: { call: {} } } } }
        : { extensions: { [extension]: {} } },
    ...more,
  };
}

function workCall(args: Params = {}, rest: Partial<ConnectionRequest> = {}): ConnectionRequest {
  return toolCall("work", args, { mustBeTask: true, ...rest });
}

const text = (said: string, more: object = {}): ConnectionReply => ({
  kind: "result",
  result: { content: [{ type: "text", text: said }], ...more },
});
const fault = (message: string): ConnectionReply => ({
  kind: "fault",
  fault: { code: -32603, message },
});

async function failureOf(reply: Promise<unknown>): Promise<unknown> {
  const error = await reply.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return (error as { failure?: string } | undefined)?.failure;
}

describe.each(pairs)("a tool that is a task only, %s, %s", (transport, era) => {
  const ends: readonly [string, Params, ConnectionReply, ConnectionReply?][] = [
    ["at once", { looks: 1 }, text("worked")],
    ["after some looks", { looks: 3 }, text("worked")],
    ["with an error of the tool", { end: "error" }, text("worked", { isError: true })],
    [
      "with a failure",
      { end: "failed" },
      fault("it broke (No result is stored)"),
      fault("it broke"),
    ],
    [
      "cancelled by the server",
      { end: "cancelled" },
      fault("look 1 (No result is stored)"),
      fault("The task was cancelled by its server. look 1"),
    ],
  ];
  test.each(ends)("that ends %s", async (_, args, legacy, modern = legacy) => {
    await using opened = await openScripted(transport, taskScript(era));
    const reply = await opened.connection.request(workCall(args));
    expect(reply).toEqual(era === "legacy" ? legacy : modern);
    expect(await opened.connection.request(toolCall("cancelled"))).toEqual(text("0"));
  });

  test("what its server asks is asked in the call", async () => {
    await using opened = await openScripted(transport, taskScript(era));
    const asked: InputRequest[] = [];
    const answer = { action: "accept", content: { name: "Ada" } };
    const ask = (request: InputRequest): Promise<Params> => {
      asked.push(request);
      return Promise.resolve(answer);
    };
    // It could be a question of this one as well.
    const leaving = new AbortController();
    const { signal } = leaving;
    const other = failureOf(opened.connection.request(toolCall("hang", {}, { signal, ask })));
    const reply = await opened.connection.request(workCall({ ask: true, looks: 2 }, { ask }));
    expect(reply).toEqual(text(`worked for ${JSON.stringify(answer)}`));
    expect(asked).toEqual([
      {
        method: "elicitation/create",
        params: {
          mode: "form",
          message: "Whose work?",
          requestedSchema: { type: "object", properties: { name: { type: "string" } } },
        },
      },
    ]);
    leaving.abort();
    expect(await other).toBe("cancelled");
  });

  test("what its server says of it is progress", async () => {
    await using opened = await openScripted(transport, taskScript(era));
    const told: unknown[] = [];
    const onProgress = (...step: unknown[]): void => void told.push(step);
    await opened.connection.request(workCall({ looks: 3 }, { onProgress }));
    const steps = [0, 1, 2, 3].map((look) => [look + 1, undefined, `look ${look}`]);
    expect(told).toEqual(steps);
  });

  /** A call that ends so while its task goes on; false when it ended before its task was there. */
  async function isCancelledThere(failure: string, timeoutMs: number): Promise<boolean> {
    await using opened = await openScripted(transport, taskScript(era));
    const { connection } = opened;
    const leaving = new AbortController();
    let steps = 0;
    const onProgress = (): void => {
      steps += 1;
      if (failure === "cancelled" && steps > 1) leaving.abort();
    };
    const rest = { onProgress, signal: leaving.signal, timeoutMs };
    expect(await failureOf(connection.request(workCall({ end: "never" }, rest)))).toBe(failure);
    if (steps === 0) return false;
    const cancelled = async (): Promise<string> =>
      JSON.stringify(await connection.request(toolCall("cancelled")));
    while ((await cancelled()) !== JSON.stringify(text("1"))) await Bun.sleep(5);
    expect(opened.told.closed).toEqual([]);
    return true;
  }

  test("the task is cancelled when the call is cancelled", async () => {
    expect(await isCancelledThere("cancelled", 60_000)).toBe(true);
  });

  test("the task is cancelled when the call takes too long", async () => {
    // A busy machine may not have begun the task by then.
    let timeoutMs = 100;
    while (!(await isCancelledThere("timeout", timeoutMs))) timeoutMs *= 2;
  });

  test("other tools are called as ever", async () => {
    await using opened = await openScripted(transport, taskScript(era));
    expect(await opened.connection.request(toolCall("echo", { text: "hi" }))).toEqual(text("hi"));
  });
});

describe("tasks of 2025-11-25", () => {
  test("progress of the server is passed on, and its own words are not then", async () => {
    await using opened = await openScripted("stdio", taskScript("legacy"));
    const told: unknown[] = [];
    const onProgress = (...step: unknown[]): void => void told.push(step);
    await opened.connection.request(workCall({ looks: 3, progress: true }, { onProgress }));
    // The first word came before the first step.
    expect(told).toEqual([
      [1, undefined, "look 0"],
      [2, 9, "step 2"],
      [3, 9, "step 3"],
    ]);
  });

  test("a server that does not declare tasks is not asked for one", async () => {
    const script = taskScript("legacy", { capabilities: { tasks: {} } });
    await using opened = await openScripted("stdio", script);
    const error: unknown = await opened.connection.request(workCall()).catch((thrown) => thrown);
    expect(error).toMatchObject({
      failure: "refused",
      message: expect.stringContaining("only be called as a task, but its server does not declare"),
    });
  });

  test("an older revision knows no such tools", async () => {
    const script = taskScript("legacy", { protocolVersion: "2025-06-18" });
    await using opened = await openScripted("stdio", script);
    const reply = await opened.connection.request(workCall());
    expect(reply).toEqual(text("work requires a task", { isError: true }));
  });

  test.each([{ task: {} }, { task: { taskId: "", status: "working" } }, { task: { taskId: "a" } }])(
    "what is no task fails the call: %j",
    async (result) => {
      const script = taskScript("legacy", {
        tools: [{ name: "work", inputSchema: { type: "object" }, behaviour: "reply" }],
      });
      await using opened = await openScripted("stdio", script);
      const answering = opened.connection.request(workCall({ message: { result } }));
      expect(await failureOf(answering)).toBe("protocol");
    },
  );

  test("what happens to it puts off the idle limit, and looks at it alone do not", async () => {
    await using opened = await openScripted("stdio", taskScript("legacy"));
    const { connection } = opened;
    const goesOn = workCall({ looks: 12 }, { idleMs: 1_000 });
    expect(await connection.request(goesOn)).toEqual(text("worked"));
    const stands = workCall({ end: "never", silent: true }, { idleMs: 300 });
    expect(await failureOf(connection.request(stands))).toBe("timeout");
  });
});

describe("tasks of 2026-07-28", () => {
  test("the second call of a tool that is a task says so at once", async () => {
    await using opened = await openScripted("stdio", taskScript("modern"));
    const replies = [
      await opened.connection.request(workCall()),
      await opened.connection.request(workCall()),
    ];
    expect(replies).toEqual([text("worked"), text("worked")]);
  });

  test("a server without the extension may refuse", async () => {
    await using opened = await openScripted("stdio", taskScript("modern", { capabilities: {} }));
    expect(await opened.connection.request(workCall())).toMatchObject({
      kind: "fault",
      fault: { code: -32021 },
    });
  });

  test("a question that nobody can be asked ends the call and its task", async () => {
    await using opened = await openScripted("stdio", taskScript("modern"), {
      options: { mayAsk: { sampling: false, elicitation: false } },
    });
    const { connection } = opened;
    expect(await failureOf(connection.request(workCall({ ask: true })))).toBe("refused");
    expect(await connection.request(toolCall("cancelled"))).toEqual(text("1"));
  });
});

test("a task that comes without being asked for is taken up", async () => {
  await using opened = await openScripted("stdio", taskScript("modern", { capabilities: {} }));
  expect(await opened.connection.request(workCall({ unasked: true }))).toEqual(text("worked"));
});

test.each([
  ["legacy", 503],
  ["modern", 503],
  ["modern", 500],
] as const)(
  "a %s server over HTTP that answers %i for a moment is asked for its task again",
  async (era, code) => {
    await using opened = await openScripted("http", taskScript(era));
    const down = { http: { reply: "sse", status: { code, times: 1 } } } as const;
    let broken: Promise<void> | undefined;
    const onProgress = (): void => void (broken ??= opened.http?.rewrite(down));
    const reply = await opened.connection.request(workCall({ looks: 3 }, { onProgress }));
    await broken;
    expect(reply).toEqual(text("worked"));
  },
);

test("a connection that ends takes its tasks along", async () => {
  await using opened = await openScripted("stdio", taskScript("legacy"));
  let steps = 0;
  const running = failureOf(
    opened.connection.request(workCall({ end: "never" }, { onProgress: () => void (steps += 1) })),
  );
  await until(() => steps > 0);
  await opened.connection[Symbol.asyncDispose]();
  expect(await running).toBe("lost");
});
