import { mkdirSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";

import { cutEnd } from "../../base/cut-text.ts";
import { shownCommandCharsMax } from "../../base/limits.ts";
import { ownValue } from "../../base/values.ts";
import type { TaskSummary } from "../../tools/services.ts";
import { type Cursor, CursorMove, placeIn } from "./cursor-move.ts";
import { taskFiles } from "./kept-place.ts";
import { isSameAlive, type KeptProcess, whereIs } from "./machine.ts";
import { OutputFile } from "./output-file.ts";
import {
  changedAt,
  type EndWish,
  mtimeOf,
  readExit,
  readJson,
  readRecord,
  type TaskEnd,
  type TaskProcesses,
  type TaskRecord,
  touch,
  writeJson,
} from "./task-record.ts";
import { hasMembers } from "./task-process.ts";

/** One kept task, as its files and the system's list of processes show it, to every process alike. */
export class KeptTask {
  readonly folder: string;
  readonly id: number;
  readonly output: OutputFile;
  #record: TaskRecord | undefined;
  #processes: TaskProcesses | undefined;
  #end: TaskEnd | undefined;

  constructor(folder: string) {
    this.folder = folder;
    this.id = Number(basename(folder));
    this.output = new OutputFile(folder);
  }

  /** Undefined when it is torn. */
  get record(): TaskRecord | undefined {
    return (this.#record ??= readRecord(this.folder));
  }

  get processes(): TaskProcesses | undefined {
    return (this.#processes ??= ownValue(readJson(this.folder, taskFiles.processes)));
  }

  get wish(): EndWish | undefined {
    return ownValue(readJson(this.folder, taskFiles.wish));
  }

  /** False for a task of another machine or container, of which nothing can be said here. */
  get isHere(): boolean {
    return this.record === undefined || whereIs(this.record.machine) !== "elsewhere";
  }

  /** How it has ended; undefined while it runs. */
  get end(): TaskEnd | undefined {
    if (this.#end !== undefined) return this.#end;
    const written = ownValue<TaskEnd | undefined>(readJson(this.folder, taskFiles.end));
    if (written !== undefined) return (this.#end = written);
    const { record } = this;
    if (record === undefined) return lostEnd(tornNote, changedAt(this.folder));
    const isSameStart = whereIs(record.machine) !== "restarted";
    if (isSameStart && this.#hasProcesses(record)) return undefined;
    return this.endNow(isSameStart ? unseenNote : restartedNote);
  }

  /**
   * How it ended, now that nothing of it runs.
   * @param signal of the shell around it, which wrote nothing down
   */
  endNow(unknownNote = unseenNote, signal: string | null = null): TaskEnd {
    const exit = readExit(this.folder);
    const { wish } = this;
    const endedAt = exit?.at ?? changedAt(this.folder);
    if (wish !== undefined) return wishedEnd(wish, exit?.code ?? null, Math.max(endedAt, wish.at));
    if (exit === undefined && signal === null) return lostEnd(unknownNote, endedAt);
    const exitCode = exit?.code ?? null;
    const state = exitCode === 0 ? "exited" : "failed";
    return { state, exitCode, signal, endedBy: null, endedAt, note: null };
  }

  /** Writes down how it has ended. */
  settle(end: TaskEnd): void {
    writeJson(this.folder, taskFiles.end, end);
    this.#end = end;
  }

  /** Whether nobody need look after it any more. */
  get isSettled(): boolean {
    return this.#end !== undefined || mtimeOf(join(this.folder, taskFiles.end)) > 0;
  }

  /** @param cursor how far the asker has read */
  summary(cursor: number): TaskSummary {
    const { record, end, processes } = this;
    const { state, exitCode, signal, endedBy, note } = end ?? running;
    const endedAt = end?.endedAt ?? Date.now();
    return {
      taskId: this.id,
      kind: "command",
      command: cutEnd(record?.commandText ?? "?", shownCommandCharsMax),
      state,
      exitCode,
      signal,
      endedBy,
      pid: processes?.leader.pid ?? 0,
      runtimeMs: Math.max(0, Math.round(endedAt - (record?.startedAt ?? endedAt))),
      unreadBytes: Math.max(0, this.output.end - cursor),
      isKept: true,
      ...(note === null ? {} : { note }),
    };
  }

  /** Where a client goes on to read: its own place, or that of the client that ended last. */
  cursorOf(clientKey: string): number {
    const own = this.#cursor(clientKey);
    if (own !== undefined) return placeIn(this.#cursorFolder, own);
    let [last, to] = [0, 0];
    for (const key of this.#cursorKeys()) {
      const at = mtimeOf(join(this.#cursorFolder, key));
      const other = at > last ? this.#cursor(key) : undefined;
      if (other !== undefined && !isSameAlive(other.client)) {
        [last, to] = [at, placeIn(this.#cursorFolder, other)];
      }
    }
    return to;
  }

  /** Called by the client itself, which has the place moved when its result goes out. @throws a system error */
  prepareCursor(clientKey: string, to: number, client: KeptProcess): CursorMove {
    const before = this.#cursor(clientKey);
    const from = this.cursorOf(clientKey);
    mkdirSync(this.#cursorFolder, { recursive: true, mode: 0o700 });
    const cursor: Cursor = { to: Math.max(to, before === undefined ? 0 : from), client };
    return new CursorMove(this.#cursorFolder, clientKey, { cursor, before, from });
  }

  /** The client has ended: of those that have, it is the last. */
  clientEnded(clientKey: string): void {
    touch(join(this.#cursorFolder, clientKey));
  }

  get #cursorFolder(): string {
    return join(this.folder, taskFiles.cursors);
  }

  #cursor(clientKey: string): Cursor | undefined {
    return ownValue(readJson(this.#cursorFolder, clientKey));
  }

  #cursorKeys(): readonly string[] {
    try {
      return readdirSync(this.#cursorFolder).filter((name) => !name.startsWith("."));
    } catch {
      return [];
    }
  }

  /** As long as the relay carries output, it has not ended: the rest is still on its way. */
  #hasProcesses(record: TaskRecord): boolean {
    const { processes } = this;
    if (processes === undefined) return hasMembers(record);
    if (isSameAlive(processes.leader)) return true;
    return readExit(this.folder) !== undefined && isSameAlive(processes.relay);
  }
}

const tornNote = "its record cannot be read";
const unseenNote = "its end was not seen";
const restartedNote = "the machine was restarted while it ran";

function lostEnd(note: string, endedAt: number): TaskEnd {
  const nothing = { exitCode: null, signal: null, endedBy: null };
  return { state: "lost", ...nothing, endedAt: Math.round(endedAt), note };
}

const running = {
  state: "running",
  exitCode: null,
  signal: null,
  endedBy: null,
  note: null,
} as const;

/** Exit codes by which a shell says that a signal ended its command. */
const signalCodes: Readonly<Record<number, string>> = { 137: "SIGKILL", 143: "SIGTERM" };

function wishedEnd({ by, note }: EndWish, code: number | null, endedAt: number): TaskEnd {
  const signal = code === null ? "SIGKILL" : (signalCodes[code] ?? null);
  return {
    state: by === "timeout" ? "timed_out" : "killed",
    exitCode: signal === null ? code : null,
    signal,
    endedBy: by === "limit" ? "killed" : by,
    endedAt,
    note,
  };
}
