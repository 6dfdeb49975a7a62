/**
 * The least relay through a Worker that keeps its promises: each level keeps one more, by the shortest code there is for it.
 * The command line is the level and the server's command. `relay-cost.ts` compares the levels.
 */
import { Database } from "bun:sqlite";
import { appendFile } from "node:fs/promises";
import { join } from "node:path";

/** What each level promises besides. */
const promises = [
  // 1: several clients and servers: whole messages, checked, with ids of its own
  "messages",
  // 2: a call ends: a limit for each, which progress extends, and its cancellation
  "limits",
  // 3: arguments fit the tool, and texts of results have no control characters
  "contents",
  // 4: no call while a plan is made, in whichever process that was said
  "plan",
  // 5: a line about each call in a log, with a digest of its arguments
  "log",
] as const;
type Promised = (typeof promises)[number];

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: {
    readonly name?: string;
    readonly arguments?: Readonly<Record<string, unknown>>;
  };
  readonly result?: { readonly content?: readonly { readonly text?: string }[] };
  readonly error?: unknown;
}

const idleMsMax = 120_000;
const flushMs = 1_000;
const decoder = new TextDecoder();

/** Calls `take` with each whole line. */
async function readLines(
  stream: ReadableStream<Uint8Array>,
  take: (line: string) => void,
): Promise<void> {
  let rest = "";
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) take(line);
  }
}

function keeps(level: number, promise: Promised): boolean {
  return promises.indexOf(promise) < level;
}

/** Whether no plan is active, asked as cheaply as another process can be heard. */
function planLook(folder: string): () => boolean {
  const database = new Database(join(folder, "plans.db"));
  database.run("PRAGMA journal_mode = WAL");
  database.run("CREATE TABLE plans (workspace TEXT PRIMARY KEY, goal TEXT) WITHOUT ROWID");
  const query = database.query("SELECT goal FROM plans WHERE workspace = ?");
  return () => query.get(folder) === null;
}

/** Collects lines and writes them once a second. */
function lineLog(file: string): (call: Message, startedAt: number) => void {
  let waiting: string[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = (): void => {
    timer = undefined;
    const lines = waiting.join("");
    waiting = [];
    void appendFile(file, lines);
  };
  return ({ params }, startedAt) => {
    const args = JSON.stringify(params?.arguments ?? {});
    const digest = new Bun.CryptoHasher("sha256").update(args).digest("hex");
    const time = new Date().toISOString();
    const durationMs = performance.now() - startedAt;
    waiting.push(`${JSON.stringify({ time, tool: params?.name, args: digest, durationMs })}\n`);
    timer ??= setTimeout(flush, flushMs);
  };
}

async function runMain(level: number, command: readonly string[]): Promise<void> {
  const folder = process.cwd();
  const out = Bun.stdout.writer();
  const mayCall = keeps(level, "plan") ? planLook(folder) : (): boolean => true;
  const log = keeps(level, "log") ? lineLog(join(folder, "calls.jsonl")) : undefined;
  const calls = new Map<number, { readonly message: Message; readonly startedAt: number }>();
  const worker = new Worker(import.meta.url);
  const answer = (text: string): void => {
    void out.write(`${text}\n`);
    void out.flush();
  };
  /** The Worker's messages are the id and the members of the answer as JSON. */
  worker.onmessage = ({ data }: MessageEvent<string>) => {
    const blank = data.indexOf(" ");
    const id = Number(data.slice(0, blank));
    const call = calls.get(id);
    calls.delete(id);
    if (call === undefined) return;
    if (call.message.method === "tools/call") log?.(call.message, call.startedAt);
    answer(`{"jsonrpc":"2.0","id":${id},${data.slice(blank + 1)}}`);
  };
  worker.postMessage(JSON.stringify({ level, command }));
  await readLines(Bun.stdin.stream(), (line) => {
    const message = JSON.parse(line) as Message;
    if (typeof message.method !== "string" || message.id === undefined) return;
    if (message.method === "tools/call" && !mayCall()) return;
    calls.set(message.id, { message, startedAt: performance.now() });
    worker.postMessage(line);
  });
}

interface Waiting {
  readonly id: number;
  readonly timer: ReturnType<typeof setTimeout> | undefined;
}

/** The connection to the server, in the Worker. */
class Link {
  readonly #level: number;
  readonly #waiting = new Map<number, Waiting>();
  readonly #write: (text: string) => void;
  #lastId = 0;

  constructor(level: number, command: string[]) {
    this.#level = level;
    const { stdin, stdout } = Bun.spawn(command, { stdin: "pipe", stdout: "pipe" });
    this.#write = (text) => {
      void stdin.write(text);
      void stdin.flush();
    };
    void readLines(stdout, (line) => this.#answer(JSON.parse(line) as Message));
  }

  send({ id = 0, method, params }: Message): void {
    const own = ++this.#lastId;
    if (keeps(this.#level, "contents") && method === "tools/call" && !fits(params?.arguments))
      return;
    const hasLimit = keeps(this.#level, "limits");
    const sent = hasLimit ? { ...params, _meta: { progressToken: own } } : params;
    const late = (): void => this.#write(`{"method":"notifications/cancelled","id":${own}}\n`);
    const timer = hasLimit ? setTimeout(late, idleMsMax) : undefined;
    this.#waiting.set(own, { id, timer });
    this.#write(`${JSON.stringify({ jsonrpc: "2.0", id: own, method, params: sent })}\n`);
  }

  #answer({ id = 0, result, error }: Message): void {
    const call = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (call === undefined) return;
    clearTimeout(call.timer);
    if (keeps(this.#level, "contents") && !isClean(result)) return;
    const members = error === undefined ? { result } : { error };
    postMessage(`${call.id} ${JSON.stringify(members).slice(1, -1)}`);
  }
}

/** As the schema of `echo` has it. */
function fits(args: Readonly<Record<string, unknown>> | undefined): boolean {
  return typeof args?.["message"] === "string";
}

// oxlint-disable-next-line no-control-regex
const unclean = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/;

function isClean(result: Message["result"]): boolean {
  return (result?.content ?? []).every(({ text = "" }) => !unclean.test(text));
}

if (Bun.isMainThread) {
  const [, , level = "0", ...command] = process.argv;
  await runMain(Number(level), command);
  process.exit();
}

let link: Link | undefined;
addEventListener("message", ({ data }: MessageEvent<string>) => {
  const message = JSON.parse(data) as Message & { level?: number; command?: string[] };
  if (message.command !== undefined) link = new Link(message.level ?? 0, message.command);
  else link?.send(message);
});
