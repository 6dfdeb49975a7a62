/**
 * A small MCP server over a pipe, which writes down what happens to it:
 *
 *     upstream.ts FOLDER NAME
 *
 * `FOLDER/starts` gets a line of JSON for each start, `FOLDER/runs` a line for each call: `TOOL ID PID`. Each line is
 * appended with one write, so that processes that run at once lose none.
 */
import { appendFileSync } from "node:fs";
import { join } from "node:path";

import type { UpstreamStart } from "./upstream-files.ts";

type Json = Readonly<Record<string, unknown>>;

const [folder = ".", name = "test"] = process.argv.slice(2);
const start: UpstreamStart = {
  name,
  pid: process.pid,
  parent: process.ppid,
  cwd: process.cwd(),
};
appendFileSync(join(folder, "starts"), `${JSON.stringify(start)}\n`);

const text = (value: string): Json => ({ content: [{ type: "text", text: value }] });
const properties = {
  id: { type: "string" },
  ms: { type: "number" },
  chars: { type: "number" },
} as const;
const readOnly = { readOnlyHint: true };

interface Tool {
  readonly description: string;
  readonly annotations?: Json;
  run(args: Json): Json;
}

/** Calls that this process has had. */
let calls = 0;

const tools: Readonly<Record<string, Tool>> = {
  read: {
    description: "Reads, and may be repeated.",
    annotations: readOnly,
    run: ({ id }) => text(`read ${String(id)}`),
  },
  write: {
    description: "Writes, and must not run twice.",
    run: ({ id }) => text(`wrote ${String(id)}`),
  },
  big: {
    description: "Text of so many characters.",
    annotations: readOnly,
    run: ({ chars }) => text("x".repeat(Number(chars ?? 1_000))),
  },
  about: {
    description: "What it was started with, and the number of calls so far.",
    annotations: readOnly,
    run: () => text(JSON.stringify({ ...start, calls })),
  },
};

function answerTo(method: unknown, params: Json): Json | undefined {
  switch (method) {
    case "initialize":
      return {
        protocolVersion: params["protocolVersion"],
        capabilities: { tools: {} },
        serverInfo: { name, version: "1" },
      };
    case "ping":
      return {};
    case "tools/list":
      return {
        tools: Object.entries(tools).map(([tool, { description, annotations }]) => ({
          name: tool,
          description,
          inputSchema: { type: "object", properties },
          ...(annotations === undefined ? {} : { annotations }),
        })),
      };
    default:
      return undefined;
  }
}

function send(id: unknown, answer: Json): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...answer })}\n`);
}

function call(id: unknown, { name: tool, arguments: given }: Json): void {
  const args = (given ?? {}) as Json;
  const run = (): void => {
    calls += 1;
    if (typeof args["id"] === "string") {
      appendFileSync(join(folder, "runs"), `${String(tool)} ${args["id"]} ${process.pid}\n`);
    }
    const found = tools[String(tool)];
    if (found === undefined) send(id, { error: { code: -32602, message: "no such tool" } });
    else send(id, { result: found.run(args) });
  };
  const { ms } = args;
  if (typeof ms === "number" && ms > 0) setTimeout(run, ms);
  else run();
}

function take(line: string): void {
  const { id, method, params } = JSON.parse(line) as Json;
  if (id === undefined || method === undefined) return;
  if (method === "tools/call") return call(id, params as Json);
  const result = answerTo(method, (params ?? {}) as Json);
  send(
    id,
    result === undefined ? { error: { code: -32601, message: "no such method" } } : { result },
  );
}

let rest = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (chunk: string) => {
  const lines = (rest + chunk).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) if (line.trim() !== "") take(line);
});
process.stdin.on("end", () => process.exit(0));
process.stdout.on("error", () => process.exit(0));
