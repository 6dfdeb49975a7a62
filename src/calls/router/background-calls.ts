import { startTimer } from "../../base/cancellation.ts";
import { bodyCharsMax, oneLine } from "../../base/cut-text.ts";
import { AppError } from "../../base/errors.ts";
import { savedPartBytes, mcpTaskTtlMsDefault, terminateGraceMs } from "../../base/limits.ts";
import { type ClientTasks, goneError } from "../../commands/background/client-tasks.ts";
import type { Confinement } from "../../commands/background/command-launcher.ts";
import type { Execution } from "../../commands/background/execution.ts";
import { readSavedPart } from "../../commands/background/saved-outputs.ts";
import type { Supervisor } from "../../commands/background/supervisor.ts";
import type {
  SavedPart,
  KillReply,
  ReadReply,
  ReadRequest,
  RunReply,
  RunRequest,
  ServiceMethod,
  ServiceRequest,
  StartReply,
  StartRequest,
  TaskSummary,
} from "../../tools/services.ts";
import type { AfterDelivery } from "../../tools/tool.ts";
import type { CallRequest } from "../call.ts";
import { tryBecomeTask } from "../become-task.ts";
import { resultUri } from "../own-uri.ts";
import { workspaceDirOf } from "../state-calls.ts";
import {
  endedOutput,
  type AddOutput,
  outputSoFar,
  readReply,
  runReply,
  savedReply,
  taskSummary,
} from "./background-replies.ts";
import { isKeptId, type KeptCommands } from "./kept-commands.ts";
import { OutputProgress } from "./output-progress.ts";

/** Decides how the commands of a call are confined: by configuration, and by plan mode. */
export interface Confinements {
  /**
   * Undefined: not at all. The caller starts the command with it, or releases it.
   * @param isKept the command outlives this process
   * @throws AppError `refused` when the chosen sandbox cannot be enforced here: nothing runs outside of a requested sandbox
   */
  forCommand(call: CallRequest, cwd: string, isKept?: boolean): Promise<Confinement | undefined>;
  /** The call has passed the gate and is on its way to a Worker: looks for what `forCommand` needs in a moment. */
  lookAhead(call: CallRequest): void;
  /**
   * A copy of a file as commands of the client see it, for clients with a place of their own; the caller releases it.
   * @throws AppError `not_found`, `refused`, `system`, `cancelled`
   */
  copyFor(call: CallRequest, file: FileToCopy): Promise<CopiedFile>;
}

export interface FileToCopy {
  /** Absolute, in the view of the commands. */
  readonly path: string;
  /** At most so many bytes are copied, and one more of a longer file. */
  readonly bytesMax: number;
}

export interface CopiedFile {
  readonly path: string;
  /** Never rejects. */
  release(): Promise<void>;
}

export interface BackgroundParts {
  readonly supervisor: Supervisor;
  /** Sends new output as progress where the client asked for progress. */
  readonly isStreaming: boolean;
  readonly confinements: Confinements;
  /** Absent where no command outlives its client. */
  readonly kept?: KeptCommands | undefined;
}

/** New output is given this long to become more, so that a waiting read is not answered line by line. */
const gatherMs = 20;

type BackgroundMethod = Extract<ServiceMethod, `background.${string}`>;

export function isBackgroundCall<Call extends ServiceRequest>(
  call: Call,
): call is Extract<Call, { readonly method: BackgroundMethod }> {
  return call.method.startsWith("background.");
}

/** Commands, as one call uses them. */
export class BackgroundCalls {
  readonly #parts: BackgroundParts;
  readonly #request: CallRequest;
  readonly #isSettled = Promise.withResolvers<void>();
  /** The task that this call reads, and how its cursor moves on. Calls that read the same task take turns. */
  #reading: { readonly task: Readers; readonly advance: (to: number) => void } | undefined;

  constructor(parts: BackgroundParts, request: CallRequest) {
    this.#parts = parts;
    this.#request = request;
  }

  perform({ method, request }: ServiceRequest<BackgroundMethod>): Promise<unknown> {
    switch (method) {
      case "background.run":
        return this.#run(request);
      case "background.start":
        return this.#start(request);
      case "background.listKept":
        return this.#listKept();
      case "background.read":
        return isKeptId(request.taskId) ? this.#readOfKept(request) : this.#read(request);
      case "background.readSaved":
        return this.#readSaved(request);
      case "background.kill":
        return this.#kill(request);
    }
  }

  /** The result is on its way to the client. */
  delivered({ advanceCursor: { to } }: AfterDelivery): void {
    this.#reading?.advance(to);
  }

  /** The call is over: its holdings are released. */
  settle(): void {
    this.#isSettled.resolve();
  }

  get #tasks(): ClientTasks {
    return this.#parts.supervisor.tasksOf(this.#request.client.id);
  }

  async #run({ command, timeoutMs }: RunRequest): Promise<RunReply> {
    assertRunnable(command);
    const { client, cancellation } = this.#request;
    const onProgress = this.#parts.isStreaming ? this.#request.onProgress : undefined;
    const charsMax = bodyCharsMax(client.limits.resultCharsMax);
    const progress = onProgress === undefined ? undefined : new OutputProgress(onProgress);
    const cwd = await workspaceDirOf(client);
    const confinement = await this.#parts.confinements.forCommand(this.#request, cwd);
    const notes = confinement?.notes ?? [];
    const addOutput: AddOutput = (output) => ({
      path: output.path,
      uri: resultUri(output.resultId),
      taskId: this.#tasks.addOutput({ ...output, title: command }),
    });
    const outcome = await this.#parts.supervisor.runForeground({
      clientId: client.id,
      commandText: command,
      cwd,
      confinement,
      timeoutMs,
      saveAfterBytes: charsMax,
      answerAt: this.#request.answerAt,
      onAnswerDue: () => this.#runAsTask(command, timeoutMs),
      cancellation,
      ...(progress === undefined ? {} : { onOutput: progress.onOutput }),
    });
    progress?.[Symbol.dispose]();
    if (outcome.kind === "ended") {
      const { execution } = outcome;
      return {
        ...runReply(execution, null, await endedOutput(execution, charsMax, addOutput)),
        notes,
      };
    }
    const { task } = outcome;
    // Until the answer is sent no client knows the task: cancelling the call now ends it too.
    cancellation.onCancel(() => void task.execution.terminate("cancelled", terminateGraceMs));
    const { output, to } = outputSoFar(task.execution, charsMax, addOutput);
    task.cursor = to;
    return { ...runReply(task.execution, task.id, output), notes };
  }

  /** The MCP task lives as long as the command may take, and then as long as any other. */
  #runAsTask(command: string, timeoutMs: number): boolean {
    const statusMessage = `Running: ${oneLine(command)}`;
    return tryBecomeTask(this.#request, { statusMessage, ttlMs: timeoutMs + mcpTaskTtlMsDefault });
  }

  /** Answers at once, but for a client that takes MCP tasks, when the command has ended. */
  async #start({ command, keep }: StartRequest): Promise<StartReply> {
    assertRunnable(command);
    const { client, cancellation } = this.#request;
    const { supervisor, confinements, kept } = this.#parts;
    const isWanted = keep ?? kept?.isDefault === true;
    const notKept = isWanted ? await this.#whyNotKept() : undefined;
    if (isWanted && notKept === undefined) return this.#startKept(command);
    if (keep === true) throw new AppError("unsupported", `The command cannot be kept: ${notKept}.`);
    const cwd = await workspaceDirOf(client);
    const bounds = await confinements.forCommand(this.#request, cwd);
    const task = await supervisor.startBackground(client.id, command, cwd, cancellation, bounds);
    const statusMessage = `Background task ${task.id}: ${oneLine(command)}`;
    if (tryBecomeTask(this.#request, { statusMessage, ttlMs: null })) {
      cancellation.onCancel(() => void task.execution.terminate("cancelled", terminateGraceMs));
      await task.execution.ended;
    }
    return {
      task: taskSummary(task),
      notes: bounds?.notes ?? [],
      ...(notKept !== undefined && { notKept }),
    };
  }

  async #whyNotKept(): Promise<string | undefined> {
    const { kept } = this.#parts;
    return kept === undefined ? "this program keeps none" : kept.refusalFor(this.#request.client);
  }

  /** Answers at once, also a client that takes MCP tasks: those end with the client, and this does not. */
  async #startKept(command: string): Promise<StartReply> {
    const { confinements } = this.#parts;
    const cwd = await workspaceDirOf(this.#request.client);
    const confinement = await confinements.forCommand(this.#request, cwd, true);
    const started = await this.#kept.start({ command, cwd, confinement }, this.#request);
    return { ...started, notes: confinement?.notes ?? [] };
  }

  get #kept(): KeptCommands {
    const { kept } = this.#parts;
    if (kept === undefined) throw new AppError("unsupported", "This program keeps no tasks.");
    return kept;
  }

  async #listKept(): Promise<readonly TaskSummary[]> {
    const { kept } = this.#parts;
    return kept === undefined ? [] : kept.list(this.#request.client);
  }

  async #readOfKept(request: ReadRequest): Promise<ReadReply> {
    const { taskId, waitMs } = request;
    const kept = this.#keptWith(taskId);
    const { client } = this.#request;
    const deadline = performance.now() + waitMs;
    await this.#takeTurn(kept.turnOf(taskId, client), (to) => {
      const record = kept.delivery(taskId, to, client);
      if (record === undefined) return;
      if (this.#request.atReply === undefined) record.taken();
      else this.#request.atReply(record);
    });
    const leftMs = Math.max(0, deadline - performance.now());
    return kept.read({ ...request, waitMs: leftMs }, this.#request);
  }

  /** The hub is not asked where there cannot be such a task. */
  #keptWith(taskId: number): KeptCommands {
    const { kept } = this.#parts;
    if (kept?.mayHave(this.#request.client) === true) return kept;
    const hint = "This workspace has no kept background tasks.";
    throw new AppError("not_found", `No background task has the id ${taskId}. ${hint}`);
  }

  async #read({ taskId, from, waitBeyond, waitMs }: ReadRequest): Promise<ReadReply> {
    const task = this.#tasks.get(taskId);
    const deadline = performance.now() + waitMs;
    const advance = (to: number): void => void (task.cursor = Math.max(task.cursor, to));
    await this.#takeTurn(task, advance);
    const start = from ?? task.cursor;
    if (task.kind === "output") return savedReply(task, start);
    // The wait for the turn is included: the client's patience began with its request.
    const leftMs = deadline - performance.now();
    if (leftMs > 0) await this.#waitForOutput(task.execution, waitBeyond ?? start, leftMs);
    return readReply(task, start);
  }

  async #readSaved({ taskId, from }: { taskId: number; from: number }): Promise<SavedPart> {
    const task = this.#tasks.get(taskId);
    if (task.kind !== "output") return { bytes: "", end: from };
    const { path, bytes: to } = task.output;
    const part = await readSavedPart(path, from, to, savedPartBytes);
    if (part === undefined) throw goneError(taskId);
    return { bytes: Buffer.from(part.bytes).toString("base64"), end: Math.min(to, part.fileBytes) };
  }

  /** One read of a task at a time, from first look to delivery: nothing is given twice. */
  async #takeTurn(task: Readers, advance: (to: number) => void): Promise<void> {
    if (this.#reading?.task === task) return;
    const before = task.reading;
    task.reading = before.then(() => this.#isSettled.promise);
    await before;
    this.#reading = { task, advance };
  }

  async #waitForOutput(execution: Execution, beyond: number, waitMs: number): Promise<void> {
    if (!execution.isRunning || execution.output.end > beyond) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    let isGathering = false;
    const stopListening = execution.listen((chunk) => {
      if (chunk === undefined) return resolve();
      if (!isGathering) startTimer(gatherMs, resolve);
      isGathering = true;
    });
    const timer = startTimer(waitMs, resolve);
    const { cancellation, onProgress } = this.#request;
    const isTold = this.#parts.isStreaming && onProgress !== undefined;
    const stopSteps = isTold ? execution.listenSteps(onProgress) : undefined;
    cancellation.onCancel(resolve);
    await promise;
    cancellation.offCancel(resolve);
    stopSteps?.();
    timer.stop();
    stopListening();
  }

  async #kill({ taskId }: { taskId: number }): Promise<KillReply> {
    if (isKeptId(taskId)) {
      return this.#keptWith(taskId).kill(taskId, "killed", this.#request.client);
    }
    const task = this.#tasks.get(taskId);
    if (task.kind === "output") return { task: taskSummary(task), wasRunning: false };
    const wasRunning = task.execution.isRunning;
    if (wasRunning) {
      await task.execution.terminate("killed", terminateGraceMs);
      await task.execution.ended;
    }
    return { task: taskSummary(task), wasRunning };
  }
}

/** The reads of one task. */
interface Readers {
  reading: Promise<void>;
}

/** @throws AppError `usage` for text that cannot be handed to a shell */
function assertRunnable(command: string): void {
  if (!command.includes("\0")) return;
  throw new AppError("usage", "`command` contains a NUL character, which no shell can take.");
}
