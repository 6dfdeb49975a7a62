import { type Cancellation, startTimer, type Timer } from "../../base/cancellation.ts";
import { randomHex } from "../../base/digests.ts";
import {
  mcpTaskPollIntervalMsDefault,
  mcpTaskResultsCharsMax,
  mcpTasksMax,
  mcpTasksPerOwnerMax,
  mcpTaskTtlMsDefault,
} from "../../base/limits.ts";
import { FaultError } from "../../calls/ask-client.ts";
import type { TaskOptions } from "../../calls/call.ts";
import { createFault, errorCodes } from "../../protocol/json-rpc.ts";
import type { McpTaskView } from "../../protocol/mcp-task.ts";
import { McpTask } from "./mcp-task.ts";

/** The results that one owner's tasks keep, oldest first. */
interface Share {
  chars: number;
  readonly tasks: Set<McpTask>;
}

/** Whose results take up how much room; decides which one goes when there is no more. */
export class KeptResults {
  readonly #shares = new Map<string, Share>();
  #chars = 0;

  /** Characters of all of them. */
  get chars(): number {
    return this.#chars;
  }

  /** Takes note of a task whose state has changed: it may keep a result from now on. */
  note(task: McpTask): void {
    const { ownerId, storedChars } = task;
    if (storedChars === 0) return;
    const share = this.#shares.get(ownerId) ?? { chars: 0, tasks: new Set() };
    if (share.tasks.has(task)) return;
    this.#shares.set(ownerId, share);
    share.tasks.add(task);
    share.chars += storedChars;
    this.#chars += storedChars;
  }

  remove(task: McpTask): void {
    const share = this.#shares.get(task.ownerId);
    if (share?.tasks.delete(task) !== true) return;
    share.chars -= task.storedChars;
    this.#chars -= task.storedChars;
    if (share.tasks.size === 0) this.#shares.delete(task.ownerId);
  }

  /** The oldest of the owner that takes up the most, so that nobody pushes out what others keep; never `spared`. */
  nextToGo(spared: McpTask): McpTask | undefined {
    let next: McpTask | undefined;
    let most = 0;
    for (const { chars, tasks } of this.#shares.values()) {
      if (chars <= most) continue;
      const [first, second] = tasks;
      const oldest = first === spared ? second : first;
      if (oldest === undefined) continue;
      next = oldest;
      most = chars;
    }
    return next;
  }
}

/** Time as the registry sees it; tests bring their own. */
export interface McpTaskClock {
  /** Milliseconds that never go back. */
  now(): number;
  startTimer(delayMs: number, fire: () => void): Timer;
}

const systemClock: McpTaskClock = { now: () => performance.now(), startTimer };

type ChangeListener = (task: McpTask) => void;

/** Keeps MCP tasks beyond this process, for others that serve the same clients. */
export interface McpTaskRecords {
  /** Resolves when the others can read the task as it is now; later for one that cannot be kept now. Never rejects. */
  save(task: McpTask): Promise<void>;
  /**
   * A task that this process does not have; one whose process is gone has failed. Undefined: there is none.
   * @throws AppError when it cannot be looked up
   */
  find(ownerId: string, taskId: string): Promise<McpTaskView | undefined>;
}

interface Entry {
  readonly task: McpTask;
  /** On the clock of the registry; infinite without a time to live. */
  readonly expiresAt: number;
}

/**
 * All MCP tasks of a server, of all owners. A task is there before the client hears of it, stays for its
 * time to live, and is forgotten earlier only when its room is needed: those that ended go first, oldest first, and
 * of results those of the owner that keeps the most.
 */
export class McpTasks {
  readonly #clock: McpTaskClock;
  /** Oldest first. */
  readonly #entries = new Map<string, Entry>();
  readonly #listeners = new Set<ChangeListener>();
  readonly #results = new KeptResults();
  #timer: Timer | undefined;
  #timerAt = Number.POSITIVE_INFINITY;

  constructor(
    clock: McpTaskClock = systemClock,
    readonly records?: McpTaskRecords,
  ) {
    this.#clock = clock;
  }

  /**
   * Makes the task of a call that `cancellation` stops.
   * @throws FaultError when there is no room for it
   */
  create(ownerId: string, cancellation: Cancellation, options: TaskOptions = {}): McpTask {
    this.#makeRoom(ownerId);
    const { statusMessage, ttlMs = mcpTaskTtlMsDefault } = options;
    const pollIntervalMs = wholeMs(options.pollIntervalMs ?? mcpTaskPollIntervalMsDefault);
    const task = new McpTask({
      id: createTaskId(),
      ownerId,
      cancellation,
      ttlMs: ttlMs === null ? null : wholeMs(ttlMs),
      pollIntervalMs,
      statusMessage,
      onChange: (changed) => this.#onChange(changed),
    });
    const expiresAt = this.#clock.now() + (task.ttlMs ?? Number.POSITIVE_INFINITY);
    this.#entries.set(task.id, { task, expiresAt });
    this.#wakeAt(expiresAt);
    return task;
  }

  /** Resolves when other processes know the task as it is now; undefined where there are none. */
  kept(task: McpTask): Promise<void> | undefined {
    return this.records?.save(task);
  }

  /** Undefined also for what belongs to somebody else, or had its time. */
  find(ownerId: string, taskId: string): McpTask | undefined {
    const entry = this.#entries.get(taskId);
    if (entry === undefined || entry.task.ownerId !== ownerId) return undefined;
    if (entry.expiresAt > this.#clock.now()) return entry.task;
    this.#expire(entry);
    return undefined;
  }

  /** Calls `listener` after each change of any task that is known; returns how to stop it. */
  onChange(listener: ChangeListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #onChange(task: McpTask): void {
    if (!this.#entries.has(task.id)) return;
    this.#results.note(task);
    this.#makeRoomForResults(task);
    void this.kept(task);
    for (const listener of this.#listeners) listener(task);
  }

  #makeRoom(ownerId: string): void {
    const own = [...this.#entries.values()].filter(({ task }) => task.ownerId === ownerId);
    if (own.length >= mcpTasksPerOwnerMax) this.#forgetOldest(own, mcpTasksPerOwnerMax);
    if (this.#entries.size >= mcpTasksMax) {
      this.#forgetOldest([...this.#entries.values()], mcpTasksMax);
    }
  }

  #forgetOldest(entries: readonly Entry[], limit: number): void {
    const over = entries.find(({ task }) => task.isOver);
    if (over !== undefined) return this.#forget(over.task);
    const message =
      `${limit} MCP tasks have not ended, which is the limit. ` +
      `Cancel one with tasks/cancel, or wait for one to end.`;
    throw new FaultError(createFault(errorCodes.internalError, message));
  }

  /** The result that has just come stays; one result alone is always within the bound. */
  #makeRoomForResults(newest: McpTask): void {
    while (this.#results.chars > mcpTaskResultsCharsMax) {
      const task = this.#results.nextToGo(newest);
      if (task === undefined) return;
      this.#forget(task);
    }
  }

  /** Nobody can see its end any more, so nobody waits for the work. */
  #expire({ task }: Entry): void {
    this.#forget(task);
    task.cancel();
  }

  #forget(task: McpTask): void {
    this.#entries.delete(task.id);
    this.#results.remove(task);
  }

  /** One timer for the task whose time is over first. */
  #wakeAt(expiresAt: number): void {
    if (expiresAt >= this.#timerAt) return;
    this.#timer?.stop();
    this.#timerAt = expiresAt;
    this.#timer = this.#clock.startTimer(expiresAt - this.#clock.now(), () => this.#onTimer());
  }

  #onTimer(): void {
    this.#timerAt = Number.POSITIVE_INFINITY;
    const now = this.#clock.now();
    let next = Number.POSITIVE_INFINITY;
    for (const entry of this.#entries.values()) {
      if (entry.expiresAt <= now) this.#expire(entry);
      else next = Math.min(next, entry.expiresAt);
    }
    this.#wakeAt(next);
  }
}

/** The MCP tasks of a server, made with its first. The server keeps them: it knows no more of a part that is loaded late. */
export function mcpTasksOf(server: {
  mcpTasks: McpTasks | undefined;
  readonly mcpTaskRecords: McpTaskRecords | undefined;
}): McpTasks {
  server.mcpTasks ??= new McpTasks(undefined, server.mcpTaskRecords);
  return server.mcpTasks;
}

/** 128 random bits: only a client that got the id knows it (docs/spec/modern.md#creation). */
function createTaskId(): string {
  return randomHex(16);
}

/** The wire has whole, positive milliseconds only. */
function wholeMs(ms: number): number {
  return Math.min(Math.max(1, Math.round(ms)), Number.MAX_SAFE_INTEGER);
}
