/** Calls of another server through the official client with its own limit of 60 s: one of 90 s, and one that reports nothing. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

import { productBinary } from "../../test/e2e/harness/binary.ts";
import { testEnvironment } from "../../test/e2e/harness/server.ts";
import { readIn } from "../../test/e2e/harness/told.ts";
import { upstreamHome } from "../../test/e2e/harness/upstream-home.ts";
import { type Outcome, seconds } from "./outcome.ts";

const workMs = 90_000;
const answerMsMax = 55_000;
const silentMs = 45_000;
const heartbeatMsMax = 10_000;
/** Of several bytes each, and fewer than what is cut. */
const text = Array.from({ length: 2_400 }, (_, index) => `ä€😀 ${index}`).join("\n");

export async function checkUpstreamHandover(): Promise<Outcome> {
  using home = upstreamHome({ slow: [{ tools: ["sleep"] }] });
  const client = new Client({ name: "verify", version: "1" });
  const env = testEnvironment(home.path);
  await client.connect(
    new StdioClientTransport({ command: productBinary, env, cwd: home.path, stderr: "pipe" }),
  );
  try {
    const [long, silent] = await Promise.all([handOver(client), heartbeats(client)]);
    const faults = [...long.faults, ...silent.faults];
    return {
      name: "hand-over of a 90 s call of another server",
      passed: faults.length === 0,
      figures: `${long.figures}; ${silent.figures}`,
      faults,
    };
  } finally {
    await client.close();
  }
}

type Part = Pick<Outcome, "figures" | "faults">;

async function handOver(client: Client): Promise<Part> {
  const faults: string[] = [];
  const startedAt = performance.now();
  const args = { ms: workMs, text };
  // The client's own limit of 60 s for a request is not changed.
  const first = await client.callTool({ name: "mcp__slow__sleep", arguments: args });
  const answeredMs = performance.now() - startedAt;
  if (answeredMs > answerMsMax) faults.push(`answered after ${seconds(answeredMs)}`);
  const [, taskId] = /background task (\d+)/.exec(JSON.stringify(first.content)) ?? [];
  if (taskId === undefined) faults.push("the answer names no task");
  let output = "";
  let state = taskId === undefined ? "none" : "running";
  while (state === "running") {
    const read = { task_id: Number(taskId), wait_ms: 20_000 };
    const { content } = await client.callTool({ name: "ReadBgOutput", arguments: read });
    const [block] = content as readonly { readonly text?: string }[];
    const told = readIn(block?.text ?? "");
    output += told.output;
    state = told.state;
  }
  const wholeMs = performance.now() - startedAt;
  const [got, expected] = [Buffer.from(output), Buffer.from(`${text}\n`)];
  if (!got.equals(expected)) faults.push(`${got.length} bytes read, of ${expected.length}`);
  if (state !== "exited") faults.push(`the task ended as ${state}`);
  const figures =
    `answered with a task after ${seconds(answeredMs)} (at most 55 s), the end read after ` +
    `${seconds(wholeMs)}, ${got.length} of ${expected.length} bytes`;
  return { figures, faults };
}

/** A server that says nothing for a while, and a client that wants to hear of progress. */
async function heartbeats(client: Client): Promise<Part> {
  const faults: string[] = [];
  const times = [performance.now()];
  const values: number[] = [];
  const onprogress = ({ progress }: { readonly progress: number }): void => {
    times.push(performance.now());
    values.push(progress);
  };
  const call = { name: "mcp__slow__sleep", arguments: { ms: silentMs } };
  await client.callTool(call, undefined, { onprogress });
  times.push(performance.now());
  const gaps = times.slice(1).map((time, index) => time - (times[index] ?? time));
  const longest = Math.max(...gaps);
  if (longest > heartbeatMsMax) faults.push(`no sign of life for ${seconds(longest)}`);
  if (values.some((value, index) => index > 0 && value <= (values[index - 1] ?? 0)))
    faults.push(`progress does not increase: ${values.join(", ")}`);
  const figures = `${values.length} signs of life in ${silentMs / 1000} s of silence, ${seconds(longest)} apart at most`;
  return { figures, faults };
}
