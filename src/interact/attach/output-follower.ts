import { startTimer, type Timer } from "../../base/cancellation.ts";
import { attachOutputBytesMax, attachOutputMs, attachTextCharsMax } from "../../base/limits.ts";
import type { Execution } from "../../commands/background/execution.ts";
import { newOutput, type OutputStore } from "../../commands/background/output-store.ts";
import type { ClientKey, OutputPiece } from "./messages.ts";

/** The part of a background task that a terminal follows. */
export interface FollowedExecution extends Pick<Execution, "listen" | "isRunning"> {
  readonly output: Pick<OutputStore, "read" | "end">;
}

export interface FollowedTask {
  readonly client: ClientKey;
  readonly taskId: number;
  readonly execution: FollowedExecution;
}

/** A terminal shows the beginning of a line at most this wide while it has no end. */
const partialCharsMax = attachTextCharsMax * 4;

/**
 * Gives a terminal the end of a task's output and then what is new, now and then. A terminal that is slow
 * misses some, and learns how much; the task is never held up.
 */
export class OutputFollower implements Disposable {
  readonly #task: FollowedTask;
  readonly #send: (piece: OutputPiece) => void;
  readonly #mayReceive: () => boolean;
  readonly #stopListening: () => void;
  #cursor: number;
  #timer: Timer | undefined;
  #isFirst = true;
  #isStopped = false;

  /** @param mayReceive false while the terminal has not read what it was given */
  constructor(task: FollowedTask, send: (piece: OutputPiece) => void, mayReceive: () => boolean) {
    this.#task = task;
    this.#send = send;
    this.#mayReceive = mayReceive;
    this.#cursor = 0;
    this.#stopListening = task.execution.listen(() => this.#schedule());
    this.#sendNew();
  }

  [Symbol.dispose](): void {
    this.#isStopped = true;
    this.#stopListening();
    this.#timer?.stop();
  }

  #schedule(): void {
    if (this.#isStopped) return;
    this.#timer ??= startTimer(attachOutputMs, () => {
      this.#timer = undefined;
      if (this.#mayReceive()) this.#sendNew();
      else this.#schedule();
    });
  }

  #sendNew(): void {
    const { client, taskId, execution } = this.#task;
    const { output } = execution;
    const isEnded = !execution.isRunning;
    const from = Math.max(this.#cursor, output.end - attachOutputBytesMax);
    const jumpedBytes = from - this.#cursor;
    const found = newOutput(output, from, isEnded);
    this.#cursor = found.linesTo;
    this.#send({
      client,
      taskId,
      isFirst: this.#isFirst,
      text: jumpedBytes > 0 ? fromLineStart(found.stretches.join("")) : found.stretches.join(""),
      partial: found.partial.slice(-partialCharsMax),
      skippedBytes: jumpedBytes + found.lostBytes,
      isEnded,
    });
    this.#isFirst = false;
  }
}

/** After a jump the first line lacks its beginning. */
function fromLineStart(text: string): string {
  return text.slice(text.indexOf("\n") + 1);
}
