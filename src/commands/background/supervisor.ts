import { assertNotAborted, type Cancellation, startTimer } from "../../base/cancellation.ts";
import { AppError } from "../../base/errors.ts";
import { shutdownGraceMs, terminateGraceMs } from "../../base/limits.ts";
import { endAdopted, graceUntil, killTime } from "../process/family.ts";
import type { Guardian } from "../process/guardian.ts";
import { type Orphanage, StrayWatch } from "../process/orphanage.ts";
import { type BackgroundTask, ClientTasks } from "./client-tasks.ts";
import type { CommandLauncher, Confinement } from "./command-launcher.ts";
import { Execution, type Work } from "./execution.ts";
import type { OutputStoreSizes } from "./output-store.ts";
import type { SavedOutput } from "./saved-output.ts";
import type { SavedOutputs } from "./saved-outputs.ts";

export interface SupervisorParts {
  readonly launcher: CommandLauncher;
  readonly orphanage: Orphanage;
  readonly guardian: Guardian;
  readonly savedOutputs: SavedOutputs;
  /** The environment of commands; asks the login shell the first time. */
  readonly environment: () => Promise<Readonly<Record<string, string>>>;
  /** Reports a failure to the user. */
  readonly warn?: (message: string) => void;
  /** Called with each new background task. */
  readonly onTask?: (clientId: string, task: BackgroundTask) => void;
}

export interface ForegroundSpec {
  /** When the client must have an answer, on the clock of `performance.now()`; undefined = no limit. */
  readonly answerAt: number | undefined;
  /** Called when that time comes; true: the client was answered otherwise, and the command runs to its end. */
  readonly onAnswerDue?: () => boolean;
  readonly clientId: string;
  readonly commandText: string;
  readonly cwd: string;
  readonly timeoutMs: number;
  readonly confinement?: Confinement | undefined;
  /** A longer output is saved as a whole, because it will not be shown as a whole. */
  readonly saveAfterBytes: number;
  readonly cancellation: Cancellation;
  /** Gets output as it comes. */
  readonly onOutput?: (chunk: Uint8Array) => void;
}

/** A program of scorpiox-code, started without a shell. */
export interface ProgramSpec {
  readonly argv: readonly string[];
  /** Names it where it is spoken of. */
  readonly name: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** From TERM to KILL when its time is over, in ms. Default: it is killed without being asked. */
  readonly graceMs?: number;
  /** Ends it. */
  readonly signal: AbortSignal;
  readonly onOutput: (chunk: Uint8Array) => void;
  /** How much of the output is held besides. */
  readonly outputSizes?: OutputStoreSizes;
  /** Its input on descriptor 3. */
  readonly data?: Uint8Array;
}

type CommandSpec = Pick<ForegroundSpec, "clientId" | "commandText" | "cwd" | "confinement"> &
  Partial<Pick<ForegroundSpec, "timeoutMs" | "saveAfterBytes">>;

export type ForegroundOutcome =
  | { readonly kind: "ended"; readonly execution: Execution }
  /** It runs on as a background task; the caller that shows the output has to set `task.cursor`. */
  | { readonly kind: "handed_over"; readonly task: BackgroundTask };

/**
 * Owns every child process: starts, reads, times, ends and reaps them. Everything else asks it. One
 * for the whole server; background tasks are kept apart by client identity.
 */
export class Supervisor implements AsyncDisposable {
  readonly #parts: SupervisorParts;
  readonly #clients = new Map<string, ClientTasks>();
  readonly #strays: StrayWatch;
  #isClosing = false;
  /** How often everything that ran was ended: a command that was to start before that does not start after it. */
  #endings = 0;

  constructor(parts: SupervisorParts) {
    this.#parts = parts;
    const { orphanage, launcher } = parts;
    this.#strays = new StrayWatch(orphanage, () => launcher.live.next().done !== true);
  }

  tasksOf(clientId: string): ClientTasks {
    let tasks = this.#clients.get(clientId);
    if (tasks === undefined) this.#clients.set(clientId, (tasks = new ClientTasks()));
    return tasks;
  }

  /**
   * Runs a command for a caller that waits: until it ends, is cancelled (then it is ended first), or
   * the client's patience is over, when it becomes a background task.
   * @throws AppError `system` when it cannot be started, `cancelled` when nobody waits for it any more
   * or the server is closing
   */
  async runForeground(spec: ForegroundSpec): Promise<ForegroundOutcome> {
    const { onOutput, cancellation } = spec;
    const execution = await this.#launch(spec, () => assertNotAborted(cancellation));
    const stopListening = execution.listen((chunk) => {
      if (chunk !== undefined) onOutput?.(chunk);
    });
    const cancel = (): void => void execution.terminate("cancelled", terminateGraceMs);
    cancellation.onCancel(cancel);
    try {
      const isEnded = await this.#untilEndOrDue(execution, spec);
      if (isEnded) return { kind: "ended", execution };
      return { kind: "handed_over", task: this.#addTask(spec.clientId, "command", execution) };
    } finally {
      cancellation.offCancel(cancel);
      stopListening();
    }
  }

  /**
   * Starts a command in the background of a client.
   * @throws AppError `limit`, `system` or `cancelled`
   */
  async startBackground(
    clientId: string,
    commandText: string,
    cwd: string,
    cancellation: Cancellation,
    confinement?: Confinement,
  ): Promise<BackgroundTask> {
    const execution = await this.#launch({ clientId, commandText, cwd, confinement }, () => {
      assertNotAborted(cancellation);
      this.tasksOf(clientId).assertRoom();
    });
    return this.#addTask(clientId, "command", execution);
  }

  /**
   * Runs a program to its end, which may be a violent one.
   * @throws AppError `system` when it cannot be started, `cancelled` when the server is closing
   */
  async runProgram(spec: ProgramSpec): Promise<Execution> {
    this.#assertOpen();
    const { argv, name, cwd, env, timeoutMs, graceMs = 0, signal, onOutput, data } = spec;
    const launch = { commandText: name, cwd, data, outputSizes: spec.outputSizes };
    const execution = this.#parts.launcher.launchProgram(argv, launch, env);
    execution.listen((chunk) => {
      if (chunk !== undefined) onOutput(chunk);
    });
    const cancel = (): void => void execution.terminate("cancelled", graceMs);
    const timer = startTimer(timeoutMs, () => void execution.terminate("timeout", graceMs));
    signal.addEventListener("abort", cancel, { once: true });
    if (signal.aborted) cancel();
    await execution.ended;
    timer.stop();
    signal.removeEventListener("abort", cancel);
    return execution;
  }

  /** Background tasks of all clients that are running. */
  get runningTasks(): number {
    let sum = 0;
    for (const tasks of this.#clients.values()) sum += tasks.running;
    return sum;
  }

  /** True when the client may have one more background task. */
  hasRoom(clientId: string): boolean {
    return this.tasksOf(clientId).hasRoom;
  }

  /**
   * Makes work without a process a background task of a client, whose output goes to `task.execution.onOutput`.
   * @param name its name in messages
   */
  adopt(clientId: string, name: string, makeWork: (execution: Execution) => Work): BackgroundTask {
    const { orphanage } = this.#parts;
    const execution = new Execution({ commandText: name, orphanage, onGone: () => {} });
    execution.attachWork(makeWork(execution));
    return this.#addTask(clientId, "call", execution);
  }

  /** A task of a client that ran in a process that is gone: it is lost, and `text` says so in the place of its output. */
  addLost(clientId: string, taskId: number, commandText: string, text: string): void {
    const { orphanage } = this.#parts;
    const execution = new Execution({ commandText, orphanage, onGone: () => {} });
    execution.attachLost(text);
    this.tasksOf(clientId).restore(taskId, execution);
  }

  /**
   * From now on processes without a live parent are ended and reaped at intervals, whether or not commands are live: a
   * browser leaves orphans, and it is not started here.
   */
  collectOrphans(): void {
    this.#strays.beginLasting();
  }

  /** As `collectOrphans`, but only until no orphan is left: the user's own browser is not ended, but it is reaped. */
  collectAdopted(): void {
    this.#strays.begin();
  }

  /**
   * This process may no longer answer for its background tasks: they are ended, or run on and are never reported again, until
   * the server ends.
   */
  async giveUpTasks(how: "kill" | "detach"): Promise<void> {
    const clients = [...this.#clients.keys()];
    if (how === "kill") await Promise.all(clients.map((clientId) => this.endClient(clientId)));
    else this.#clients.clear();
  }

  /** Ends all background tasks of a client that is gone. */
  async endClient(clientId: string): Promise<void> {
    const tasks = this.#clients.get(clientId);
    this.#clients.delete(clientId);
    const running = tasks?.executions().filter((task) => task.execution.isRunning) ?? [];
    await Promise.all(
      running.map((task) => task.execution.terminate("shutdown", terminateGraceMs)),
    );
  }

  /** Ends all that runs now; its clients stay. */
  async endLive(): Promise<void> {
    this.#endings += 1;
    const live = [...this.#parts.launcher.live];
    await Promise.all(live.map((execution) => execution.terminate("shutdown", terminateGraceMs)));
  }

  /**
   * Ends everything; nothing can be started afterwards. Bounded by two grace times.
   * @param killAt when KILL is due for processes that do not end by themselves
   * @param others children that are ended elsewhere at the same time; the guardian stays until they are gone
   */
  async endBy(killAt: number, others?: Promise<unknown>): Promise<void> {
    this.#isClosing = true;
    this.#strays[Symbol.dispose]();
    this.#parts.launcher[Symbol.dispose]();
    const live = [...this.#parts.launcher.live];
    const graceMs = graceUntil(killAt);
    const ending = live.map((execution) => execution.terminate("shutdown", graceMs));
    await Promise.all([...ending, others]);
    await endAdopted(this.#parts.orphanage, this.#parts.warn);
    await Promise.race([this.#parts.launcher.released(), Bun.sleep(shutdownGraceMs)]);
    this.#parts.guardian[Symbol.dispose]();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.endBy(killTime());
  }

  /**
   * True when the execution ended, false when `answerAt` came first and it may be handed over; when it
   * may not, it is ended as if its time were over.
   */
  async #untilEndOrDue(
    execution: Execution,
    { answerAt, onAnswerDue, clientId }: ForegroundSpec,
  ): Promise<boolean> {
    if (answerAt === undefined) {
      await execution.ended;
      return true;
    }
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = startTimer(answerAt - performance.now(), () => {
      if (onAnswerDue?.() === true) return;
      if (this.hasRoom(clientId)) resolve(false);
      else void execution.terminate("timeout", terminateGraceMs);
    });
    void execution.ended.then(() => resolve(true));
    const isEnded = await promise;
    timer.stop();
    return isEnded;
  }

  #addTask(clientId: string, kind: BackgroundTask["kind"], execution: Execution): BackgroundTask {
    const task = this.tasksOf(clientId).add(kind, execution, 0);
    this.#parts.onTask?.(clientId, task);
    return task;
  }

  /** @param assertMayStart throws when it is not to be started after all */
  async #launch(spec: CommandSpec, assertMayStart: () => void): Promise<Execution> {
    const { clientId, commandText, cwd, timeoutMs, saveAfterBytes, confinement } = spec;
    const endings = this.#endings;
    try {
      const env = await this.#parts.environment();
      this.#assertOpen();
      if (endings !== this.#endings) throw new AppError("cancelled", "Not started: try again.");
      assertMayStart();
      this.#strays.begin();
      const createSavedOutput = (): SavedOutput | undefined =>
        this.#parts.savedOutputs.create(clientId);
      const limits = { timeoutMs, saveAfterBytes };
      const launch = { commandText, cwd, ...limits, createSavedOutput, confinement };
      return this.#parts.launcher.launch(launch, env);
    } catch (error) {
      void confinement?.release();
      throw error;
    }
  }

  #assertOpen(): void {
    if (!this.#isClosing) return;
    throw new AppError("cancelled", "The server is shutting down and starts no more commands.");
  }
}
