/**
 * The least server that keeps what every call is promised, each in its plainest form: bytes that are no UTF-8 and messages
 * that are no JSON-RPC are told apart, an id is answered once and can be cancelled, shared memory says which job
 * computes, a timer watches it, the Worker checks the arguments against a schema and answers with text and data, and the
 * call is logged with a digest of its arguments. The difference to `worker-echo.ts` is the price of these.
 * With `--http` it serves HTTP and checks the headers besides.
 */
import { isUtf8 } from "node:buffer";
import * as z from "zod/mini";

import { echoed } from "./least-server.ts";

interface Call {
  readonly jsonrpc?: unknown;
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: { readonly name?: unknown; readonly arguments?: unknown };
}

interface Job {
  readonly jobId: number;
  readonly tool: string;
  readonly args: unknown;
}

type Reply = (text: string) => void;

interface Pending {
  readonly id: number;
  readonly begunAt: number;
  readonly args: unknown;
  readonly reply: Reply;
}

const watchMs = 2;
const slowLooksMax = 15_000;
const logAfterMs = 1000;
const newline = 10;

const results: Readonly<Record<string, string>> = {
  initialize: JSON.stringify({
    protocolVersion: "2025-06-18",
    capabilities: { tools: {} },
    serverInfo: { name: "least", version: "1" },
  }),
  "tools/list": '{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}',
};

class Calls {
  readonly #worker = new Worker(import.meta.url);
  readonly #cell = new Int32Array(new SharedArrayBuffer(8));
  readonly #jobs = new Map<number, Pending>();
  readonly #ended: object[] = [];
  #last = 0;
  #seenTurn = 0;
  #slowLooks = 0;
  #watch: ReturnType<typeof setTimeout> | undefined;
  #log: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    this.#worker.postMessage(this.#cell.buffer);
    this.#worker.onmessage = ({ data }: MessageEvent<string>) => {
      const blank = data.indexOf(" ");
      this.#finish(Number(data.slice(0, blank)), data.slice(blank + 1));
    };
  }

  receive({ jsonrpc, id, method, params }: Call, inFlight: Set<number>, reply: Reply): void {
    if (jsonrpc !== "2.0" || typeof method !== "string" || !Number.isSafeInteger(id)) return;
    const own = Number(id);
    if (method !== "tools/call") return reply(encode(own, results[method] ?? "{}"));
    const args = params?.arguments ?? {};
    if (typeof params?.name !== "string" || typeof args !== "object" || inFlight.has(own))
      return reply(encode(own, '{"isError":true,"content":[]}'));
    inFlight.add(own);
    this.#start(params.name, args, own, (text) => {
      // Unless it was cancelled.
      if (inFlight.delete(own)) reply(text);
    });
  }

  #start(tool: string, args: unknown, id: number, reply: Reply): void {
    this.#last += 1;
    this.#jobs.set(this.#last, { id, begunAt: performance.now(), args, reply });
    this.#worker.postMessage(JSON.stringify({ jobId: this.#last, tool, args } satisfies Job));
    if (this.#watch === undefined) this.#watch = setTimeout(() => this.#look(), watchMs);
  }

  #finish(jobId: number, result: string): void {
    const call = this.#jobs.get(jobId);
    if (call === undefined) return;
    this.#jobs.delete(jobId);
    call.reply(encode(call.id, result));
    this.#ended.push({ at: Date.now(), ms: performance.now() - call.begunAt, args: call.args });
    if (this.#log === undefined) this.#log = setTimeout(() => this.#writeLog(), logAfterMs);
  }

  #look(): void {
    this.#watch = undefined;
    const turn = Atomics.load(this.#cell, 1);
    const isSame = Atomics.load(this.#cell, 0) !== 0 && turn === this.#seenTurn;
    this.#slowLooks = isSame ? this.#slowLooks + 1 : 0;
    this.#seenTurn = turn;
    if (this.#slowLooks > slowLooksMax) this.#worker.terminate();
  }

  #writeLog(): void {
    this.#log = undefined;
    for (const line of this.#ended.splice(0))
      new Bun.CryptoHasher("sha256").update(JSON.stringify(line)).digest("hex");
  }
}

function encode(id: number, result: string): string {
  return `{"jsonrpc":"2.0","id":${id},"result":${result}}`;
}

/** A message that is cut by the end of a chunk waits for the rest. */
async function serveStdio(): Promise<never> {
  const calls = new Calls();
  const inFlight = new Set<number>();
  const out = Bun.stdout.writer();
  const reply = (text: string): void => {
    void out.write(`${text}\n`);
    void out.flush();
  };
  let rest = new Uint8Array(0);
  for await (const chunk of Bun.stdin.stream()) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const end = bytes.lastIndexOf(newline) + 1;
    rest = new Uint8Array(bytes.subarray(end));
    const lines = bytes.subarray(0, end);
    if (!isUtf8(lines)) continue;
    for (const message of Bun.JSONL.parseChunk(lines).values as Call[])
      calls.receive(message, inFlight, reply);
  }
  process.exit();
}

function serveHttp(): void {
  const calls = new Calls();
  const headers = { "content-type": "application/json" };
  const { url } = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    development: false,
    async fetch(request) {
      const origin = request.headers.get("origin");
      const isJson = request.headers.get("content-type")?.startsWith("application/json") === true;
      const version = request.headers.get("mcp-protocol-version");
      if (origin !== null || !isJson || version === null) return new Response("", { status: 400 });
      const bytes = new Uint8Array(await request.arrayBuffer());
      if (!isUtf8(bytes)) return new Response("", { status: 400 });
      const [message] = Bun.JSONL.parseChunk(bytes).values as Call[];
      if (message === undefined) return new Response("", { status: 400 });
      const text = await new Promise<string>((resolve) =>
        calls.receive(message, new Set(), resolve),
      );
      return new Response(text, { headers });
    },
  });
  console.log(`Listening on ${new URL("/mcp", url).href}`);
}

function computeJobs(): void {
  const input = z.strictObject({ message: z.optional(z.string()) });
  const { text } = (JSON.parse(echoed) as { content: [{ text: string }] }).content[0];
  let cell: Int32Array = new Int32Array(2);
  addEventListener("message", ({ data }: MessageEvent<string | SharedArrayBuffer>) => {
    if (typeof data !== "string") {
      cell = new Int32Array(data);
      return;
    }
    const { jobId, args } = JSON.parse(data) as Job;
    cell[1] = (cell[1] ?? 0) + 1;
    cell[0] = jobId;
    const parsed = input.safeParse(args);
    const content = [{ type: "text", text }];
    const result = parsed.success
      ? { content, structuredContent: { message: parsed.data.message ?? "hi" } }
      : { content, isError: true };
    cell[0] = 0;
    postMessage(`${jobId} ${JSON.stringify(result)}`);
  });
}

if (!Bun.isMainThread) computeJobs();
else if (process.argv.includes("--http")) serveHttp();
else await serveStdio();
