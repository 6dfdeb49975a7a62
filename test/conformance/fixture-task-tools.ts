import { FaultError } from "../../src/calls/ask-client.ts";
import { createFault, errorCodes } from "../../src/protocol/json-rpc.ts";
import { contentOf, elicited, form, nameForm } from "./fixture-forms.ts";
import { askOf, errorResult, type FixtureTool, noArguments, textResult } from "./fixture-tool.ts";
import { pause } from "./pause.ts";

/** Tasks are over in seconds: a client that looks five times a second sees each state. */
const taskOptions = { ttlMs: 60_000, pollIntervalMs: 200 };
const failAfterMs = 1000;
/** Long enough for a first look at a working task. */
const workMs = 50;

const greet: FixtureTool = {
  listing: {
    name: "greet",
    description: "Greets somebody by name, at once.",
    inputSchema: {
      type: "object",
      properties: { name: { type: "string", description: "Who is greeted." } },
      required: ["name"],
    },
  },
  answer: (_call, { name }) => textResult(`Hello, ${String(name)}!`),
};

const slowCompute: FixtureTool = {
  listing: {
    name: "slow_compute",
    description: "Takes as long as it is told.",
    inputSchema: {
      type: "object",
      properties: {
        seconds: { type: "number", description: "How long it takes, in seconds." },
        label: { type: "string", description: "Comes back in the result." },
      },
      required: ["seconds"],
    },
  },
  taskSupport: "optional",
  async answer(call, { seconds, label }) {
    call.becomeTask?.({ ...taskOptions, statusMessage: "Computing" });
    await pause(Number(seconds) * 1000, call.cancellation);
    return textResult(
      `Computed for ${String(seconds)} s: ${typeof label === "string" ? label : "no label"}`,
    );
  },
};

const failingJob: FixtureTool = {
  listing: {
    name: "failing_job",
    description: "Works for a second and fails as a tool fails.",
    inputSchema: noArguments,
  },
  taskSupport: "required",
  async answer(call) {
    call.becomeTask?.(taskOptions);
    await pause(failAfterMs, call.cancellation);
    return errorResult("The job failed, as it always does.");
  },
};

const protocolErrorJob: FixtureTool = {
  listing: {
    name: "protocol_error_job",
    description: "Ends with an error of the protocol.",
    inputSchema: noArguments,
  },
  taskSupport: "optional",
  async answer(call) {
    call.becomeTask?.(taskOptions);
    await pause(workMs, call.cancellation);
    throw new FaultError(
      createFault(errorCodes.internalError, "The job broke, as it always does."),
    );
  },
};

const confirmDelete: FixtureTool = {
  listing: {
    name: "confirm_delete",
    description: "Asks before it pretends to delete a file.",
    inputSchema: {
      type: "object",
      properties: { filename: { type: "string", description: "The file's name." } },
      required: ["filename"],
    },
  },
  taskSupport: "optional",
  async answer(call, { filename }) {
    call.becomeTask?.(taskOptions);
    const question = form(`Delete ${String(filename)}?`, { confirm: { type: "boolean" } });
    const responses = await askOf(call).ask({ confirm: question });
    const { confirm } = contentOf(responses, "confirm");
    return textResult(`${String(filename)} ${confirm === true ? "would be deleted" : "is kept"}.`);
  },
};

const multiInput: FixtureTool = {
  listing: {
    name: "multi_input",
    description: "Asks two questions at the same time.",
    inputSchema: noArguments,
  },
  taskSupport: "optional",
  async answer(call) {
    call.becomeTask?.(taskOptions);
    const ask = askOf(call);
    const fields = { name: { type: "string" }, confirm: { type: "boolean" } };
    const [left, right] = await Promise.all([
      ask.ask({ left: form("Who is on the left?", fields) }),
      ask.ask({ right: form("Who is on the right?", fields) }),
    ]);
    return textResult(`Left: ${elicited(left, "left")}; right: ${elicited(right, "right")}`);
  },
};

const askThenTask: FixtureTool = {
  listing: {
    name: "test_tool_with_task",
    description: "Asks the user's name first and greets in an MCP task.",
    inputSchema: noArguments,
  },
  taskSupport: "required",
  async answer(call) {
    const responses = await askOf(call).ask({ user_name: nameForm });
    call.becomeTask?.(taskOptions);
    await pause(workMs, call.cancellation);
    return textResult(`Hello, ${String(contentOf(responses, "user_name").name)}!`);
  },
};

/** Tools of the tasks extension, and one that never becomes an MCP task (docs/spec/modern.md#mcp-tasks). */
export const taskTools: readonly FixtureTool[] = [
  failingJob,
  protocolErrorJob,
  multiInput,
  askThenTask,
  greet,
  slowCompute,
  confirmDelete,
];
