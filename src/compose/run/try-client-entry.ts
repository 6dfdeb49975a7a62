import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { AppError, messageOf } from "../../base/errors.ts";
import type { ServerTrial, ServerTrialOptions } from "../../cli/command.ts";
import { isModernVersion, metaKeys } from "../../protocol/message.ts";
import { endOf, outputOf } from "./run-client-program.ts";

/** Longer than any known client waits for a start. */
const answerMsMax = 60_000;
const stderrLinesMax = 5;
const stderrCharsMax = 100_000;

/**
 * Starts a server as a client would, in a folder of its own, asks it for its tools, and ends it by closing its input.
 * @throws {AppError} `system` when it does not answer
 */
export async function tryClientEntry(
  words: readonly string[],
  how: ServerTrialOptions,
): Promise<ServerTrial> {
  const cwd = mkdtempSync(join(tmpdir(), "scorpiox-doctor-"));
  try {
    return await tryIn(cwd, words, how);
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}

async function tryIn(
  cwd: string,
  words: readonly string[],
  how: ServerTrialOptions,
): Promise<ServerTrial> {
  const startedAt = performance.now();
  const child = started(cwd, words, how.env);
  const stderr = outputOf(child, child.stderr, stderrCharsMax);
  const replies = new Replies(child.stdout, endOf(child.exited));
  const send = (message: object): void => {
    void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    void child.stdin.flush();
  };
  try {
    const greeting = greetingOf(how);
    send({ id: 1, ...greeting.first });
    await replies.of(1);
    const initializedAt = performance.now();
    if (greeting.second !== undefined) send(greeting.second);
    send({ id: 2, method: "tools/list", params: greeting.params });
    const list = await replies.of(2);
    const listedAt = performance.now();
    await child.stdin.end();
    await child.exited;
    return {
      initializeMs: initializedAt - startedAt,
      listMs: listedAt - initializedAt,
      tools: toolsIn(list),
      stderr: (await stderr).trim().split("\n").filter(Boolean).slice(0, stderrLinesMax),
    };
  } catch (error) {
    child.kill("SIGKILL");
    const said = (await stderr).trim().split("\n").slice(-stderrLinesMax).join("; ");
    const why = said === "" ? messageOf(error) : said;
    throw new AppError("system", why);
  }
}

function started(
  cwd: string,
  words: readonly string[],
  env: ServerTrialOptions["env"],
): Bun.Subprocess<"pipe", "pipe", "pipe"> {
  try {
    return Bun.spawn([...words], {
      cwd,
      env: { ...env },
      stdio: ["pipe", "pipe", "pipe"],
      timeout: answerMsMax,
      killSignal: "SIGKILL",
      windowsHide: true,
    });
  } catch (error) {
    throw new AppError("system", `it cannot be started: ${messageOf(error)}`);
  }
}

function toolsIn(result: unknown): ServerTrial["tools"] {
  const tools: unknown =
    typeof result === "object" && result !== null && "tools" in result ? result.tools : [];
  if (!Array.isArray(tools)) return [];
  return tools.flatMap((tool: unknown) =>
    typeof tool === "object" && tool !== null && "name" in tool && typeof tool.name === "string"
      ? [{ ...tool, name: tool.name }]
      : [],
  );
}

const ended = { value: undefined, done: true } as const;

/** The results in a stream of messages. */
class Replies {
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #decoder = new TextDecoder();
  readonly #over: Promise<undefined>;
  #text = "";

  /** @param over settles when the process has ended: another one may hold the stream open */
  constructor(stream: ReadableStream<Uint8Array>, over: Promise<undefined>) {
    this.#chunks = stream[Symbol.asyncIterator]();
    this.#over = over;
  }

  /** @throws Error for an error in its place, or when the stream ends before */
  async of(id: number): Promise<unknown> {
    for (;;) {
      const end = this.#text.indexOf("\n");
      if (end >= 0) {
        const message: unknown = JSON.parse(this.#text.slice(0, end));
        this.#text = this.#text.slice(end + 1);
        if (
          typeof message !== "object" ||
          message === null ||
          !("id" in message) ||
          message.id !== id
        )
          continue;
        if ("result" in message) return message.result;
        throw new Error(JSON.stringify("error" in message ? message.error : message).slice(0, 500));
      }
      const { value, done } = (await Promise.race([this.#chunks.next(), this.#over])) ?? ended;
      if (done === true) throw new Error("it ended, or was silent for a minute");
      this.#text += this.#decoder.decode(value, { stream: true });
    }
  }
}

/** The first messages of a client, without ids. */
interface Greeting {
  readonly first: object;
  readonly second?: object;
  /** The parameters of every request after it. */
  readonly params: object;
}

/** How a client of that revision introduces itself. */
function greetingOf({
  clientName,
  revision,
  capabilities,
}: Pick<ServerTrialOptions, "clientName" | "revision" | "capabilities">): Greeting {
  const clientInfo = { name: clientName, version: "0.0.0" };
  if (!isModernVersion(revision)) {
    const params = { protocolVersion: revision, capabilities, clientInfo };
    return {
      first: { method: "initialize", params },
      second: { method: "notifications/initialized" },
      params: {},
    };
  }
  const params = {
    _meta: {
      [metaKeys.protocolVersion]: revision,
      [metaKeys.clientInfo]: clientInfo,
      [metaKeys.clientCapabilities]: capabilities,
    },
  };
  return { first: { method: "server/discover", params }, params };
}
