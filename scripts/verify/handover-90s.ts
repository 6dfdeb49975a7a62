/** A command of 90 s through the official client with its own limit of 60 s. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

import { productBinary } from "../../test/e2e/harness/binary.ts";
import { testEnvironment } from "../../test/e2e/harness/server.ts";
import { TempFolder } from "../../test/e2e/harness/temp-folder.ts";
import { readIn, type ToldRead } from "../../test/e2e/harness/told.ts";
import { type Outcome, seconds } from "./outcome.ts";

const answerMsMax = 55_000;
const lines = 900;

export async function checkHandover(): Promise<Outcome> {
  using home = new TempFolder();
  const client = new Client({ name: "verify", version: "1" });
  const env = testEnvironment(home.path);
  await client.connect(
    new StdioClientTransport({ command: productBinary, env, cwd: home.path, stderr: "pipe" }),
  );
  try {
    return await run(client);
  } finally {
    await client.close();
  }
}

async function run(client: Client): Promise<Outcome> {
  const faults: string[] = [];
  const command = `for i in $(seq 1 ${lines}); do echo line $i; sleep 0.1; done; exit 3`;
  const startedAt = performance.now();
  // The client's own limit of 60 s for a request is not changed.
  const first = await call(client, "Bash", { command, timeout: 120_000 });
  const answeredMs = performance.now() - startedAt;
  if (answeredMs > answerMsMax) faults.push(`answered after ${seconds(answeredMs)}`);
  const [, taskId] = /task_id: (\d+)/.exec(first) ?? [];
  if (taskId === undefined) faults.push("the answer has no task_id");
  let output = first.replace(/Still running after .*$/, "");
  let last: Pick<ToldRead, "state" | "exitCode"> = {
    state: taskId === undefined ? "none" : "running",
    exitCode: null,
  };
  while (last.state === "running") {
    const read = { task_id: Number(taskId), wait_ms: 20_000 };
    const told = readIn(await call(client, "ReadBgOutput", read));
    output += told.output;
    last = told;
  }
  const wholeMs = performance.now() - startedAt;
  const expected = Array.from({ length: lines }, (_, index) => `line ${index + 1}\n`).join("");
  if (output !== expected)
    faults.push(`${output.length} characters read, ${expected.length} printed`);
  if (last.exitCode !== 3) faults.push(`exit code ${last.exitCode}, not 3`);
  const figures =
    `answered with a task_id after ${seconds(answeredMs)} (at most 55 s), the end read after ` +
    `${seconds(wholeMs)}, ${output.length} of ${expected.length} bytes`;
  return { name: "hand-over of a 90 s command", passed: faults.length === 0, figures, faults };
}

async function call(client: Client, name: string, args: Record<string, unknown>): Promise<string> {
  const { content } = await client.callTool({ name, arguments: args });
  const [block] = content as readonly { readonly text?: string }[];
  return block?.text ?? "";
}
