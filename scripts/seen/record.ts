import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";

import type { RealClient } from "./clients.ts";
import type { OfferedTool } from "./dialects/dialect.ts";
import { startModel, type ScriptedCall } from "./model-endpoint.ts";

/** The longest that a client may take for its whole script. */
const clientMsMax = 120_000;

/** What a client did with a script of calls. */
export interface Recording {
  /** `clientInfo` as the MCP server got it, and the revision that was agreed on. */
  readonly clientInfo: Readonly<Record<string, unknown>>;
  readonly version: string;
  /** What the client says it can do, as the MCP server got it. */
  readonly capabilities: Readonly<Record<string, unknown>>;
  /** The tools that the client has offered to its model in the end, its own among them. */
  readonly offered: readonly OfferedTool[];
  /** The environment in which it started the MCP server. */
  readonly environment: Readonly<Record<string, string>>;
  /** For each call of the script: what the MCP server gave, and what the client then told its model. */
  readonly calls: readonly { readonly given: unknown; readonly told: unknown }[];
  /** What the client said, when it did not get through the script. */
  readonly fault?: string;
}

export interface RecordOptions {
  readonly prepare?: (work: string, home: string) => void;
  /** The server's name in the client's configuration. */
  readonly key?: string;
  /** Variables of the shell in which the client is started, besides those that it needs. */
  readonly env?: Readonly<Record<string, string>>;
  /** Over those that it needs; undefined: without it. */
  readonly over?: Readonly<Record<string, string | undefined>>;
}

/**
 * Has a client call tools of an MCP server, as its model tells it to.
 * @param binFolder where its command is
 * @param server the command line of the MCP server
 */
export async function record(
  client: RealClient,
  binFolder: string,
  server: readonly string[],
  script: readonly ScriptedCall[],
  { prepare = () => {}, key = "scorpiox-code", env = {}, over = {} }: RecordOptions = {},
): Promise<Recording> {
  const folder = mkdtempSync(join(tmpdir(), `scorpiox-seen-${client.id}-`));
  const home = join(folder, "home");
  const work = join(folder, "work");
  const log = join(folder, "messages.jsonl");
  mkdirSync(home);
  mkdirSync(work);
  try {
    prepare(work, home);
    await using model = startModel(script);
    const tee = [join(import.meta.dir, "tee.ts"), log, ...server];
    const start = client.start({
      home,
      work,
      origin: model.origin,
      server: { key, command: process.execPath, args: tee },
    });
    for (const [path, text] of Object.entries(start.files)) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    }
    const said = await run([join(binFolder, client.bin), ...start.args], work, {
      ...env,
      ...start.env,
      CI: "1",
      HOME: home,
      NO_COLOR: "1",
      PATH: env["PATH"] ?? `${dirname(process.execPath)}${delimiter}${process.env["PATH"] ?? ""}`,
      TERM: "xterm",
      TMPDIR: folder,
      ...over,
    });
    const passed = messagesIn(log);
    const missing = model.missing.map((tool) => `was not offered ${tool}`);
    const fault =
      model.isDone && missing.length === 0 ? {} : { fault: [...missing, said].join("\n") };
    const results = model.results();
    const given = script.map((_, place) => resultOf(passed, script, place));
    return {
      ...introduction(passed),
      offered: model.offered,
      environment: environmentIn(log),
      calls: results.map((told, index) => ({ given: given[index], told })),
      ...fault,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Runs a client to its end, and ends it with all that it started when that takes too long. Gives what it said. */
async function run(
  command: readonly string[],
  cwd: string,
  env: Record<string, string | undefined>,
): Promise<string> {
  const child = Bun.spawn([...command], {
    cwd,
    env,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    detached: true,
  });
  const end = (): void => {
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch {
      // It has gone.
    }
  };
  const timer = setTimeout(end, clientMsMax);
  const said = Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  await child.exited;
  clearTimeout(timer);
  end();
  return (await said).join("\n").trim();
}

export function messagesIn(log: string): readonly Passed[] {
  if (!existsSync(log)) return [];
  const lines = readFileSync(log, "utf8").split("\n").filter(Boolean);
  return lines.map((line) => JSON.parse(line) as Passed);
}

export function environmentIn(log: string): Readonly<Record<string, string>> {
  const file = `${log}.environment`;
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Record<string, string>) : {};
}

/** One message that passed between client and server. */
export interface Passed {
  readonly by: "client" | "server";
  readonly message: Readonly<Record<string, unknown>>;
}

const versionKey = "io.modelcontextprotocol/protocolVersion";

type Introduction = Pick<Recording, "clientInfo" | "version" | "capabilities">;

/** What the client says of itself: with `initialize`, or with the envelope of its calls. */
export function introduction(passed: readonly Passed[]): Introduction {
  const messages = passed.map(({ message }) => message);
  const hello = messages.find(({ method }) => method === "initialize");
  // Who has said hello after all has only tried whether the server knows the newest revision.
  const metas = passed.flatMap(({ by, message: { method, params } }) => {
    const { _meta: meta } = (params ?? {}) as { _meta?: Record<string, unknown> };
    const counts = by === "client" && (method === "tools/call" || hello === undefined);
    return counts && meta?.[versionKey] !== undefined ? [meta] : [];
  });
  const meta = metas.at(-1) ?? {};
  const modern = meta[versionKey];
  if (typeof modern === "string") {
    const info = meta["io.modelcontextprotocol/clientInfo"];
    const can = meta["io.modelcontextprotocol/clientCapabilities"] ?? {};
    return {
      clientInfo: info as Record<string, unknown>,
      version: modern,
      capabilities: can as Record<string, unknown>,
    };
  }
  const { clientInfo = {}, capabilities = {} } = (hello?.["params"] ?? {}) as Partial<Introduction>;
  const answer = messages.find(({ id, result }) => id === hello?.["id"] && result !== undefined);
  const { protocolVersion = "none" } = (answer?.["result"] ?? {}) as { protocolVersion?: string };
  return { clientInfo, version: protocolVersion, capabilities };
}

/**
 * The result of the call at `place` of the script, as the server gave it: undefined when the client has called a tool of
 * its own that has the same name.
 */
function resultOf(
  passed: readonly Passed[],
  script: readonly ScriptedCall[],
  place: number,
): unknown {
  const tool = script[place]?.tool;
  const before = script.slice(0, place).filter((call) => call.tool === tool).length;
  const calls = passed.filter(({ by, message }) => {
    const { name } = (message["params"] ?? {}) as { name?: string };
    return by === "client" && message["method"] === "tools/call" && name === tool;
  });
  const id = calls[before]?.message["id"];
  if (id === undefined) return undefined;
  const reply = passed.findLast(
    ({ by, message }) => by === "server" && message["id"] === id && message["method"] === undefined,
  );
  return reply?.message["result"] ?? reply?.message["error"];
}
