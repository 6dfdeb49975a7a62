import { join } from "node:path";

import { productBinary } from "../../../test/e2e/harness/binary.ts";
import { testEnvironment } from "../../../test/e2e/harness/server.ts";
import { hubVariables, type HubMode } from "./hub-clients.ts";
import type { HubHome } from "./hub-home.ts";

/** What a flood is made of. */
export interface Flood {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly perSecond: number;
  /** Calls at the beginning, beside those. */
  readonly burst: number;
  readonly inFlight: number;
  /** It reads nothing of what it is answered. */
  readonly isDeaf?: boolean;
  /** Its process of scorpiox-code is stopped soon after the beginning. */
  readonly isStopped?: boolean;
}

export interface FloodOptions extends Flood {
  readonly binary: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface FloodFigures {
  readonly calls: number;
  readonly replies: number;
  readonly failed: number;
  readonly bytes: number;
  readonly ms: number;
  /** The first reply that was a failure. */
  readonly failure?: string | undefined;
}

const program = join(import.meta.dir, "flooding-client.ts");

/** A client that floods in a process of its own. */
export class Flooder implements AsyncDisposable {
  readonly #child: Bun.Subprocess<"pipe", "pipe", "inherit">;
  readonly #lines: AsyncIterator<string>;

  constructor(home: HubHome, mode: HubMode, flood: Flood) {
    const env = { ...testEnvironment(home.path), ...hubVariables({ mode, idleS: 0 }) };
    const options: FloodOptions = { ...flood, binary: productBinary, cwd: home.workspace, env };
    this.#child = Bun.spawn([process.execPath, program, JSON.stringify(options)], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    this.#lines = linesOf(this.#child.stdout);
  }

  /** Its client has used the server. @returns the client's process id */
  async ready(): Promise<number> {
    const { value } = await this.#lines.next();
    return Number(String(value).split(" ")[1]);
  }

  begin(): void {
    void this.#child.stdin.write("begin\n");
    void this.#child.stdin.flush();
  }

  async end(): Promise<FloodFigures> {
    void this.#child.stdin.end();
    const { value } = await this.#lines.next();
    return JSON.parse(String(value)) as FloodFigures;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    void this.#child.stdin.end();
    await this.#child.exited;
  }
}

async function* linesOf(output: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of output) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = parts.pop() ?? "";
    yield* parts;
  }
}
