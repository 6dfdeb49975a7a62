import type { BackgroundState, EndReason } from "../../base/background-state.ts";
import { startTimer, type Timer } from "../../base/cancellation.ts";
import { terminateGraceMs } from "../../base/limits.ts";
import type { CommandExit, RunningCommand } from "../process/command.ts";
import { countFamily, endFamily } from "../process/family.ts";
import type { Family, Orphanage } from "../process/orphanage.ts";
import { OutputStore, type OutputStoreSizes } from "./output-store.ts";
import type { SavedOutput } from "./saved-output.ts";

/** Work without a process of its own, such as a call to an upstream server. */
export interface Work {
  /** Resolves when it is over and its output was delivered. Never rejects. */
  readonly ended: Promise<CommandExit>;
  /** Gives it up; `ended` resolves soon afterwards. */
  end(): void;
}

export interface ExecutionParts {
  readonly commandText: string;
  readonly orphanage: Orphanage;
  /** When the whole family is gone. */
  readonly onGone: (execution: Execution) => void;
  /** Makes the file that takes outputs longer than `saveAfterBytes`. */
  readonly createSavedOutput?: (() => SavedOutput | undefined) | undefined;
  readonly saveAfterBytes?: number | undefined;
  /** How much of the output is held. */
  readonly outputSizes?: OutputStoreSizes | undefined;
}

/** Survivors that TERM does not end within this are ended after the reply, not before it. */
const survivorPatienceMs = 100;

/**
 * One supervised command from start to end: its output window, its family, why and when it ended. The supervisor owns
 * it; callers that wait for it listen.
 */
export class Execution {
  readonly commandText: string;
  readonly output: OutputStore;
  readonly startedAt = Date.now();
  readonly #startedMono = performance.now();
  readonly #parts: Pick<ExecutionParts, "orphanage" | "onGone" | "saveAfterBytes">;
  #createSavedOutput: ExecutionParts["createSavedOutput"];
  readonly #listeners = new Set<(chunk: Uint8Array | undefined) => void>();
  readonly #stepListeners = new Set<(step: string) => void>();
  readonly #ended = Promise.withResolvers<void>();
  #pid = 0;
  #work: Work | undefined;
  #family: Family | undefined;
  #exit: CommandExit | undefined;
  #endReason: EndReason | undefined;
  #endedAt: number | undefined;
  #durationMs: number | undefined;
  #timeout: Timer | undefined;
  #saved: SavedOutput | undefined;
  #ending: Promise<void> | undefined;
  #isLost = false;
  #leftBehind: number | null = 0;

  constructor(parts: ExecutionParts) {
    const { orphanage, onGone, saveAfterBytes } = parts;
    this.#parts = { orphanage, onGone, saveAfterBytes };
    this.#createSavedOutput = parts.createSavedOutput;
    this.commandText = parts.commandText;
    this.output = new OutputStore(parts.outputSizes);
  }

  /** Takes over a command that was started with `onOutput` as its sink. */
  attach(command: RunningCommand, family: Family, timeoutMs: number | undefined): void {
    this.#pid = command.pid;
    this.#family = family;
    if (timeoutMs !== undefined) {
      this.#timeout = startTimer(timeoutMs, () => void this.terminate("timeout", terminateGraceMs));
    }
    void command.ended.then((exit) => this.#onLeaderEnd(exit));
  }

  /** Takes over work that gives its output to `onOutput`. */
  attachWork(work: Work): void {
    this.#work = work;
    void work.ended.then((exit) => this.#onLeaderEnd(exit));
  }

  /** A command of another process, which is gone: `text` is its only output. */
  attachLost(text: string): void {
    this.output.append(new TextEncoder().encode(text));
    this.#giveUp();
  }

  /** 0 for work without a process. */
  get pid(): number {
    return this.#pid;
  }

  get exit(): CommandExit | undefined {
    return this.#exit;
  }

  get endReason(): EndReason | undefined {
    return this.#endReason;
  }

  /** Milliseconds since the epoch. */
  get endedAt(): number | undefined {
    return this.#endedAt;
  }

  get durationMs(): number {
    return Math.round(this.#durationMs ?? performance.now() - this.#startedMono);
  }

  get savedOutput(): SavedOutput | undefined {
    return this.#saved;
  }

  /** Processes that it had left running when it ended by itself, and that were ended then; null for a number that is not known. */
  get leftBehind(): number | null {
    return this.#leftBehind;
  }

  get isRunning(): boolean {
    return this.#endedAt === undefined;
  }

  get state(): BackgroundState {
    if (this.isRunning) return "running";
    if (this.#isLost) return "lost";
    if (this.#endReason === "timeout") return "timed_out";
    if (this.#endReason !== undefined) return "killed";
    return this.#exit?.exitCode === 0 ? "exited" : "failed";
  }

  /** Resolves when the command has ended and all its output is in. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  /** The sink of the command's output. */
  readonly onOutput = (chunk: Uint8Array): void | Promise<void> => {
    const before = this.output.end;
    this.output.append(chunk);
    for (const listener of this.#listeners) listener(chunk);
    return this.#save(chunk, before);
  };

  /** Calls `listener` with each chunk, and with undefined at the end. Returns a function that stops it. */
  listen(listener: (chunk: Uint8Array | undefined) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Reports the progress of the work, which is not part of its output. */
  tellStep(step: string): void {
    for (const listener of this.#stepListeners) listener(step);
  }

  /** Calls `listener` with each step. Returns a function that stops it. */
  listenSteps(listener: (step: string) => void): () => void {
    this.#stepListeners.add(listener);
    return () => this.#stepListeners.delete(listener);
  }

  /**
   * Ends the command and all that it started; resolves when that is done. Once the command has ended
   * by itself, or is being ended, the reason that came first stays.
   */
  terminate(reason: EndReason, graceMs: number): Promise<void> {
    if (this.#exit === undefined) this.#endReason ??= reason;
    this.#work?.end();
    return this.#endFamily(graceMs);
  }

  #endFamily(graceMs: number): Promise<void> {
    const family = this.#family;
    if (family === undefined) return Promise.resolve();
    // A later, more hurried request is served beside the first: both only signal.
    const ending = endFamily(this.#parts.orphanage, family, graceMs).then((gone) => {
      if (!gone && this.#exit === undefined) this.#giveUp();
    });
    this.#ending ??= ending;
    return ending;
  }

  async #onLeaderEnd(exit: CommandExit): Promise<void> {
    if (this.#isLost) return this.#parts.onGone(this);
    this.#exit = exit;
    this.#timeout?.stop();
    await this.#endSurvivors();
    await this.#settle();
  }

  /** Not even KILL ended the leader: a process that is stuck in the kernel. */
  #giveUp(): void {
    this.#isLost = true;
    this.#timeout?.stop();
    void this.#settle();
  }

  async #settle(): Promise<void> {
    await this.#saved?.finish();
    this.#durationMs = performance.now() - this.#startedMono;
    this.#endedAt = Date.now();
    this.output.compact();
    // It is kept for a day: its call, and all that came with it, are not.
    this.#work = undefined;
    this.#createSavedOutput = undefined;
    for (const listener of this.#listeners) listener(undefined);
    this.#listeners.clear();
    this.#stepListeners.clear();
    this.#ended.resolve();
  }

  /** Most commands leave nothing; the rest gets a moment to go before the end is reported. */
  async #endSurvivors(): Promise<void> {
    const family = this.#family;
    if (family === undefined) return;
    const { orphanage } = this.#parts;
    if (!orphanage.isAlive(family)) return this.#parts.onGone(this);
    if (this.#endReason === undefined) this.#leftBehind = countFamily(orphanage, family) ?? null;
    const gone = (this.#ending ?? this.#endFamily(terminateGraceMs)).then(() =>
      this.#parts.onGone(this),
    );
    await Promise.race([gone, Bun.sleep(survivorPatienceMs)]);
  }

  #save(chunk: Uint8Array, before: number): void | Promise<void> {
    const after = this.#parts.saveAfterBytes;
    if (this.#saved !== undefined) return this.#saved.append(chunk);
    if (after === undefined || this.output.end <= after) return;
    this.#saved = this.#createSavedOutput?.();
    if (this.#saved === undefined) return;
    // All that came before is still held: saving starts long before the window is full.
    for (const { bytes } of this.output.read(0, before)) void this.#saved.append(bytes);
    return this.#saved.append(chunk);
  }
}
