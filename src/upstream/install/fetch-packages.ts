import { startTimer, type Timer } from "../../base/cancellation.ts";
import { upstreamInstallLookMs, upstreamInstallQuietMs } from "../../base/upstream-limits.ts";
import { groupTicks } from "../../commands/process/processes.ts";
import { ConnectionError } from "../connect/connection.ts";
import type { ProcessLaunch, UpstreamProcess } from "../process/upstream-process.ts";
import type { RunnerCommand } from "./runner-command.ts";

/** The result of a runner that was started to fetch packages. */
export interface FetchEnd {
  readonly isDone: boolean;
  /** The end of its stdout. */
  readonly output: string;
  /** The last lines of its stderr. */
  readonly errors: readonly string[];
}

/** Bytes of stdout that are kept; a printed environment has a few thousand. */
const outputBytesMax = 256 * 1024;

/**
 * Waits for a runner to end, however long that takes; ends it only after a long time without progress.
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

/** Notices when a process writes nothing and, on systems that report its CPU time, uses none. */
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

  /** Never rejects: the process's end reports failures. */
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
      // The pipe was closed.
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
