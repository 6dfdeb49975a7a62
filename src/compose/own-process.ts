import type { Execution } from "../commands/background/execution.ts";
import type { Supervisor } from "../commands/background/supervisor.ts";
import { cancelledError, Turns } from "../base/turns.ts";

/** Each may hold more than a gigabyte. */
const processesMax = 2;

export interface OwnProcessSpec {
  /** The task of the process, for people. */
  readonly name: string;
  /** The hidden argument that makes this program do it. */
  readonly argument: string;
  /** Only the needed variables of the user: a process that reads a hostile file has no secrets. */
  readonly env: Readonly<Record<string, string>>;
  readonly msMax: number;
  /** A longer reply ends the process. */
  readonly replyBytesMax: number;
}

/** Starts this program itself for work that may crash, hang or swell: then it takes nothing with it. */
export class OwnProcess {
  readonly #supervisor: Pick<Supervisor, "runProgram">;
  readonly #command: readonly string[];
  readonly #spec: OwnProcessSpec;
  readonly #turns = new Turns(processesMax);

  /** @param command how this program starts itself */
  constructor(
    supervisor: Pick<Supervisor, "runProgram">,
    command: readonly string[],
    spec: OwnProcessSpec,
  ) {
    this.#supervisor = supervisor;
    this.#command = command;
    this.#spec = spec;
  }

  /**
   * Hands `path` to a process of its own and gives all that it wrote, and how it ended.
   * @throws AppError `cancelled` when `signal` aborts, also while it waits for its turn; `system` when it cannot be started
   */
  async run(
    path: string,
    signal: AbortSignal,
  ): Promise<{ readonly output: Uint8Array; readonly execution: Execution }> {
    using _turn = await this.#turns.take(signal);
    const done = await this.#collect(path, signal);
    if (signal.aborted) throw cancelledError();
    return done;
  }

  async #collect(
    path: string,
    signal: AbortSignal,
  ): Promise<{ readonly output: Uint8Array; readonly execution: Execution }> {
    const { name, argument, env, msMax, replyBytesMax } = this.#spec;
    const chunks: Uint8Array[] = [];
    let total = 0;
    const flood = new AbortController();
    const execution = await this.#supervisor.runProgram({
      argv: [...this.#command, argument, path],
      name,
      cwd: "/",
      env,
      timeoutMs: msMax,
      signal: AbortSignal.any([signal, flood.signal]),
      onOutput: (chunk) => {
        total += chunk.length;
        if (total > replyBytesMax) flood.abort();
        else chunks.push(chunk.slice());
      },
    });
    return { output: Buffer.concat(chunks), execution };
  }
}
