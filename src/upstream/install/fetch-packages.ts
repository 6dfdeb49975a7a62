import { startTimer, type Timer } from "../../base/cancellation.ts";
import { upstreamInstallLookMs, upstreamInstallQuietMs } from "../../base/upstream-limits.ts";
import { groupTicks } from "../../commands/process/proc-table.ts";
import { ConnectionError } from "../connect/connection.ts";
import type { ProcessLaunch, UpstreamProcess } from "../process/upstream-process.ts";
import type { RunnerCommand } from "./runner-command.ts";

/** How a runner ended that was to fetch. */
export interface FetchEnd {
  readonly isDone: boolean;
  /** The end of what it wrote to stdout. */
  readonly output: string;
  /** The last lines of what it wrote to stderr. */
  readonly errors: readonly string[];
}

/** Bytes of stdout that are kept: an environment has some thousand. */
const outputBytesMax = 256 * 1024;

/**
 * Runs a runner until it has ended, however long that takes: only one that has done nothing for long is ended.
 * @throws AppError as `start` does; ConnectionError `timeout`
 */
export async function runRunner(
  start: (launch: ProcessLaunch) => Promise<UpstreamProcess>,
  launch: ProcessLaunch,
  { fetchedWhenSaid }: Pick<RunnerCommand, "fetchedWhenSaid">,
  signal: AbortSignal,
): Promise<FetchEnd> {
  await using process = await start(launch);
  process.endInput();
  const stop = (): void => void process[Symbol.asyncDispose]();
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  using watch = new ProgressWatch(process, stop);
  try {
    const [output, end] = await Promise.all([watch.read(), process.ended]);
    signal.throwIfAborted();
    if (watch.isStuck) {
      const minutes = Math.round(upstreamInstallQuietMs / 60_000);
      throw new ConnectionError("timeout", `It did nothing for ${minutes} minutes and was ended.`);
    }
    const errors = process.stderrTail();
    const said = `${output}\n${errors.join("\n")}`;
    const isDone =
      end.exitCode === 0 || (fetchedWhenSaid !== undefined && said.includes(fetchedWhenSaid));
    return { isDone, output, errors };
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** Notices when a process writes nothing and, where the system tells, computes nothing any more. */
class ProgressWatch implements Disposable {
  readonly #process: UpstreamProcess;
  readonly #stop: () => void;
  #timer: Timer | undefined;
  #ticks: number | undefined;
  #progressAt = performance.now();
  isStuck = false;

  constructor(process: UpstreamProcess, stop: () => void) {
    this.#process = process;
    this.#stop = stop;
    this.#plan();
  }

  [Symbol.dispose](): void {
    this.#timer?.stop();
  }

  /** Never rejects: the end of the process tells. */
  async read(): Promise<string> {
    const reader = this.#process.output.getReader();
    let kept = Buffer.alloc(0);
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done || value === undefined) break;
        this.#progressAt = performance.now();
        kept = Buffer.concat([kept, value]).subarray(-outputBytesMax);
      }
    } catch {
      // The pipe was let go.
    }
    return kept.toString();
  }

  #plan(): void {
    this.#timer = startTimer(upstreamInstallLookMs, () => this.#look());
  }

  #look(): void {
    const ticks = groupTicks(this.#process.pid);
    if (ticks !== undefined && ticks !== this.#ticks) this.#progressAt = performance.now();
    this.#ticks = ticks;
    const lastAt = Math.max(this.#progressAt, this.#process.lastErrorAt?.() ?? 0);
    this.isStuck = performance.now() - lastAt >= upstreamInstallQuietMs;
    if (this.isStuck) this.#stop();
    else this.#plan();
  }
}
