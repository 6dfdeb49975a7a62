import { Cancellation, startTimer, type Timer } from "../../base/cancellation.ts";
import { formatCount, oneLine } from "../../base/cut-text.ts";
import { outputWindowBytes, taskUpdateMs } from "../../base/limits.ts";
import { describeState } from "../../base/shown-state.ts";
import type { BackgroundTask } from "../../commands/background/client-tasks.ts";
import { newOutput } from "../../commands/background/output-store.ts";
import type { SavedOutputs, SavedText } from "../../commands/background/saved-outputs.ts";
import type { Supervisor } from "../../commands/background/supervisor.ts";
import type { ResourceListing } from "../../protocol/resource-types.ts";
import type { ReadReply } from "../../tools/services.ts";
import type { ClientContext, RequestContext } from "../call.ts";
import type { Changes, ResourceProvider, ResourceReading } from "../features.ts";
import { backgroundUri, ownTemplates, readOwnUri, resultPageUri } from "../own-uri.ts";
import { taskSummary } from "../router/background-replies.ts";
import { isKeptId, type KeptCommands } from "../router/kept-commands.ts";
import type { StateResource } from "./state-resources.ts";

export interface OwnResourcesParts {
  readonly supervisor: Supervisor;
  /** Absent: no task outlives its client. */
  readonly kept?: Pick<KeptCommands, "mayHave" | "list" | "read">;
  readonly savedOutputs: SavedOutputs;
  readonly changes: Changes;
  /** Listed first, in their order. */
  readonly state: readonly StateResource[];
}

/**
 * Results of the product's tools as resources: the state kept for the client, background tasks and saved outputs,
 * which only their client sees. Saved outputs are not listed: the result that names one gives it away.
 */
export class OwnResources implements ResourceProvider {
  readonly #parts: OwnResourcesParts;

  constructor(parts: OwnResourcesParts) {
    this.#parts = parts;
  }

  async list(client: ClientContext): Promise<readonly ResourceListing[]> {
    const { kept, supervisor } = this.#parts;
    const own = supervisor.tasksOf(client.id).executions();
    const outliving = kept?.mayHave(client) === true ? await kept.list(client) : [];
    const tasks = [
      ...own.map(({ id, execution }) => taskListing(id, execution.commandText)),
      ...outliving.map(({ taskId, command }) => taskListing(taskId, command)),
    ];
    return [...this.#parts.state.map(({ listing }) => listing), ...tasks];
  }

  templates(): Promise<typeof ownTemplates> {
    return Promise.resolve(ownTemplates);
  }

  async read(uri: string, { client }: RequestContext): Promise<ResourceReading | undefined> {
    const text = await this.#textOf(uri, client);
    if (text === undefined) return undefined;
    const mimeType = this.#stateOf(uri)?.listing.mimeType ?? "text/plain";
    return { contents: [{ uri, mimeType, text }] };
  }

  watch(uri: string, client: ClientContext): () => void {
    const { changes } = this.#parts;
    const change = { kind: "resource", uri, clientId: client.id } as const;
    return this.#stateOf(uri)?.watch?.(client, () => changes.emit(change)) ?? nothingToEnd;
  }

  /** A saved output does not change any more. */
  canSubscribe(uri: string, client: ClientContext): boolean {
    return this.#stateOf(uri) !== undefined || this.#taskOf(uri, client) !== undefined;
  }

  async #textOf(uri: string, client: ClientContext): Promise<string | undefined> {
    const state = this.#stateOf(uri);
    if (state !== undefined) return state.text(client);
    const own = readOwnUri(uri);
    if (own?.kind === "result") return this.#savedText(client, own.id, own.page);
    if (own === undefined) return undefined;
    if (isKeptId(own.taskId)) return this.#keptText(client, own.taskId);
    const tasks = this.#parts.supervisor.tasksOf(client.id).list();
    const task = tasks.find(({ id }) => id === own.taskId);
    if (task?.kind === "output") return this.#savedText(client, task.output.resultId, undefined);
    return task === undefined ? undefined : backgroundText(task);
  }

  /** The last page of its output: the resource of another background task has as much. */
  async #keptText(client: ClientContext, taskId: number): Promise<string | undefined> {
    const { kept } = this.#parts;
    if (kept?.mayHave(client) !== true) return undefined;
    const tasks = await kept.list(client);
    if (!tasks.some((task) => task.taskId === taskId)) return undefined;
    const call = { client, cancellation: new Cancellation() };
    const look = { taskId, waitBeyond: null, waitMs: 0 };
    const first = await kept.read({ ...look, from: Number.MAX_SAFE_INTEGER }, call);
    const end = first.end ?? first.seenTo;
    const from = Math.max(0, end - outputWindowBytes);
    return keptText(await kept.read({ ...look, from }, call), from);
  }

  async #savedText(
    client: ClientContext,
    id: string,
    page: number | undefined,
  ): Promise<string | undefined> {
    const { savedOutputs } = this.#parts;
    if (page === undefined) {
      const saved = await savedOutputs.read(client.id, id);
      return saved === undefined ? undefined : savedText(id, saved);
    }
    const text = await savedOutputs.readPage(client.id, id, page);
    return text === undefined ? undefined : Bun.stripANSI(text);
  }

  #stateOf(uri: string): StateResource | undefined {
    return this.#parts.state.find(({ listing }) => listing.uri === uri);
  }

  #taskOf(uri: string, client: ClientContext): BackgroundTask | undefined {
    const own = readOwnUri(uri);
    if (own?.kind !== "background") return undefined;
    const tasks = this.#parts.supervisor.tasksOf(client.id).executions();
    return tasks.find(({ id }) => id === own.taskId);
  }
}

function nothingToEnd(): void {}

/** Notifies listeners of a new background task, then of its output and of its end. */
export function announceBackgroundTask(
  changes: Changes,
  clientId: string,
  task: BackgroundTask,
): void {
  changes.emit({ kind: "resources", clientId });
  const { id, execution } = task;
  if (!execution.isRunning) return;
  const uri = backgroundUri(id);
  const updates = new TaskUpdates(() => changes.emit({ kind: "resource", uri, clientId }));
  execution.listen((chunk) => (chunk === undefined ? updates.end() : updates.output()));
}

function taskListing(id: number, command: string): ResourceListing {
  return {
    uri: backgroundUri(id),
    name: `background-${id}`,
    title: `Background task ${id}`,
    description: oneLine(command),
    mimeType: "text/plain",
  };
}

/** A background task as text: its state, the whole command (lists have its beginning), and all of its output that is held. Terminal colours are taken out. */
function backgroundText(task: BackgroundTask): string {
  const { id, execution } = task;
  const { output, isRunning } = execution;
  const { stretches, lostBytes, partial } = newOutput(output, 0, !isRunning);
  const [first = "", ...rest] = stretches;
  const gap =
    lostBytes === 0 ? "" : `[... ${formatCount(lostBytes)} bytes were dropped here ...]\n`;
  const lines = [
    `Background task ${id}: ${describeState(taskSummary(task))}.`,
    `Command: ${execution.commandText}`,
    `Output: ${formatCount(output.end)} bytes so far.`,
    "",
    Bun.stripANSI(`${first}${gap}${rest.join("")}${partial}`),
  ];
  return lines.join("\n");
}

/** A kept task as text, with its output from the byte `from` on. */
function keptText({ task, stretches, partial, end, seenTo }: ReadReply, from: number): string {
  const gap =
    from === 0 ? "" : `[... the first ${formatCount(from)} bytes are left out here ...]\n`;
  const lines = [
    `Background task ${task.taskId} (kept): ${describeState(task)}.`,
    `Command: ${task.command}`,
    `Output: ${formatCount(end ?? seenTo)} bytes so far.`,
    "",
    Bun.stripANSI(`${gap}${stretches.join("")}${partial}`),
  ];
  return lines.join("\n");
}

/** A saved output as text, with a line that says what was left out and where it is. */
function savedText(id: string, saved: SavedText): string {
  if (saved.kind === "whole") return Bun.stripANSI(saved.text);
  const { head, tail, omittedBytes } = saved;
  const border = head.endsWith("\n") ? "" : "\n";
  const pages = `${resultPageUri(id, 1)} to ${resultPageUri(id, saved.pages)}`;
  const gap = `[... ${formatCount(omittedBytes)} bytes are left out here: the file has them, and ${pages} ...]\n`;
  return Bun.stripANSI(`${head}${border}${gap}${tail}`);
}

/** Time as the updates see it; tests bring their own. */
type StartTimer = (delayMs: number, fire: () => void) => Timer;

/** Notifies of the output of one task: at once, then once a second at most; of its end at once. */
export class TaskUpdates {
  readonly #tell: () => void;
  readonly #startTimer: StartTimer;
  #timer: Timer | undefined;
  #isDue = false;

  constructor(tell: () => void, start: StartTimer = startTimer) {
    this.#tell = tell;
    this.#startTimer = start;
  }

  output(): void {
    if (this.#timer === undefined) this.#tellNow();
    else this.#isDue = true;
  }

  end(): void {
    this.#timer?.stop();
    this.#tell();
  }

  #tellNow(): void {
    this.#isDue = false;
    this.#timer = this.#startTimer(taskUpdateMs, () => {
      this.#timer = undefined;
      if (this.#isDue) this.#tellNow();
    });
    this.#tell();
  }
}
