import {
  closeSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";

import type { BackgroundState, EndReason } from "../../base/background-state.ts";
import { randomHex } from "../../base/digests.ts";
import { isObject, ownValue } from "../../base/values.ts";
import type { KeptHoldings } from "./kept-messages.ts";
import { taskFiles } from "./kept-place.ts";
import type { KeptProcess, Machine } from "./machine.ts";

/** Readers take a record of a higher format for lost: it is raised only when an older hub would misread it. */
export const recordFormat = 1;

/** A kept task as it was started. Other builds read it: members may be added. */
export interface TaskRecord {
  readonly format: number;
  readonly id: number;
  /** The real path or the name of its workspace, for people. */
  readonly workspace: string;
  readonly commandText: string;
  readonly cwd: string;
  /** Milliseconds since 1970, as all times here. */
  readonly startedAt: number;
  /** When it is ended; null = never. */
  readonly endsAt: number | null;
  readonly machine: Machine;
  /** The owner mark of its family. */
  readonly mark: string;
  readonly isOverseen: boolean;
  readonly notes: readonly string[];
  readonly holdings: KeptHoldings | null;
  readonly client: KeptProcess & { readonly name: string | null };
  /** See `KeptLaunch`; absent: none run. */
  readonly hooks?: { readonly projectDir: string | null };
}

/** The processes of a task that are known by number. */
export interface TaskProcesses {
  /** The shell around the command, which writes its exit code. It leads the group. */
  readonly leader: KeptProcess;
  /** The program that carries its output into the file. */
  readonly relay: KeptProcess;
}

/** A kept task outlives the call and the server that started it. */
type KeptEndReason = Exclude<EndReason, "cancelled" | "shutdown">;

/** Somebody had a task ended. */
export interface EndWish {
  readonly by: KeptEndReason | "limit";
  readonly at: number;
  /** Why, where it was nobody's wish. */
  readonly note: string | null;
}

/** How a task has ended. */
export interface TaskEnd {
  readonly state: Exclude<BackgroundState, "running">;
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly endedBy: KeptEndReason | null;
  readonly endedAt: number;
  readonly note: string | null;
}

/** Undefined for a record that is missing, torn, or of a later format. */
export function readRecord(folder: string): TaskRecord | undefined {
  const record = ownValue<TaskRecord | undefined>(readJson(folder, taskFiles.record));
  return record?.format === recordFormat && isObject(record.machine) ? record : undefined;
}

/** Undefined when it is not there, or not whole. */
export function readJson(folder: string, name: string): unknown {
  try {
    const value: unknown = JSON.parse(readFileSync(join(folder, name), "utf8"));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Readers see the old file or the new one. Nothing waits for the disk: a power cut ends the task as well. */
export function writeJson(folder: string, name: string, value: object): void {
  const draft = join(folder, `.${name}.${randomHex(4)}`);
  writeFileSync(draft, JSON.stringify(value), { mode: 0o600, flag: "wx" });
  renameSync(draft, join(folder, name));
}

/** The first wish remains. */
export function writeWish(folder: string, wish: EndWish): void {
  if (readJson(folder, taskFiles.wish) === undefined) writeJson(folder, taskFiles.wish, wish);
}

/** The shell writes over these bytes: that works on a full disk too. */
const noExit = "...\n";

export function prepareExit(folder: string): void {
  const fd = openSync(join(folder, taskFiles.exit), "wx", 0o600);
  writeSync(fd, noExit);
  closeSync(fd);
}

/** The exit code that the shell has written, and when. */
export function readExit(folder: string): { code: number; at: number } | undefined {
  const path = join(folder, taskFiles.exit);
  try {
    const [, digits] = /^(\d{1,3}) *\n$/.exec(readFileSync(path, "latin1")) ?? [];
    return digits === undefined
      ? undefined
      : { code: Number(digits), at: Math.round(statSync(path).mtimeMs) };
  } catch {
    return undefined;
  }
}

export function readDropped(folder: string): number {
  try {
    return Number(readFileSync(join(folder, taskFiles.dropped), "latin1")) || 0;
  } catch {
    return 0;
  }
}

/** The last time at which something of the task changed on disk, in ms. */
export function changedAt(folder: string): number {
  const times = [taskFiles.output, taskFiles.record, "."].map((name) =>
    mtimeOf(join(folder, name)),
  );
  return Math.max(...times);
}

export function mtimeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

export function touch(path: string): void {
  const now = Date.now() / 1_000;
  try {
    utimesSync(path, now, now);
  } catch {
    // There is none.
  }
}
