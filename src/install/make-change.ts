import { existsSync } from "node:fs";
import { dirname } from "node:path";

import { AppError, messageOf } from "../base/errors.ts";
import { realPathOf } from "../base/paths.ts";
import { withFileLock } from "../config/file-lock.ts";
import { removeLeftDrafts, resolveTarget } from "../config/replace-file.ts";
import { type ChangeLog, type ChangeRecord, digestOf } from "./change-log.ts";
import { type RunProgram, runCommands } from "./client-command.ts";
import { readEntry } from "./edit/entry-text.ts";
import { type FileChange, readClientFile, recordOf, textOf } from "./file-change.ts";
import { clientNamed } from "./find-client.ts";
import type { Entry, OwnCommand } from "./install-targets.ts";
import {
  giveBack,
  type MoveTarget,
  movedBy,
  type PlannedMove,
  takeServers,
} from "./move-servers.ts";
import {
  checkWritable,
  finishTorn,
  missingDirAbove,
  removeEmptyDirs,
  writeClientFile,
} from "./write-client-file.ts";
import type { SecretPlace } from "../upstream/secrets/secret-store.ts";

/** The services that changes are made with. */
export interface ChangeTools {
  readonly log: ChangeLog;
  readonly moveTarget: MoveTarget;
  readonly run: RunProgram;
  /** Where a secret of a moved server was stored. */
  readonly onPlace: (place: SecretPlace) => void;
  /** Servers that stay here when a change is undone, each as a sentence. */
  readonly onStays: (text: string) => void;
}

/** How one change is made. */
interface ChangeWay {
  readonly move?: PlannedMove | undefined;
  /** The client's own command, where its file must not be edited beside it. */
  readonly command?: OwnCommand | undefined;
}

/**
 * Makes the change, or undoes one: copies the old bytes, moves servers here, writes the file and reads it again, or has the
 * client's own command write it. The log has it first: what a kill leaves, `settleLeft` finishes or takes back.
 * @throws {AppError} `config` when the file is no longer what was shown, `system`
 */
export async function makeChange(
  change: FileChange,
  tools: ChangeTools,
  { move, command }: ChangeWay,
): Promise<void> {
  const { log, moveTarget, onPlace } = tools;
  const { before, undoes } = change;
  await locked(log, change.file, async () => {
    if (command === undefined) checkWritable(change.file);
    const record = undoes === undefined ? begun(change, command, move) : undoing(undoes);
    if (command === undefined) checkShown(change);
    if (undoes === undefined) log.add(record, command === undefined ? before : undefined);
    else log.update(record);
    try {
      if (move !== undefined) await takeServers(move, moveTarget, onPlace);
      if (command === undefined) writeShown(change, record, log);
      else await changeByCommand(change, command, tools.run, record);
    } catch (error) {
      throw withEnd(error, await settle(record, tools));
    }
    await settle(record, tools);
  });
}

function begun(
  change: FileChange,
  command: OwnCommand | undefined,
  move: PlannedMove | undefined,
): ChangeRecord {
  const moved = move === undefined ? undefined : movedBy(move);
  const madeDir = missingDirAbove(change.file);
  const record = { ...recordOf(change, moved), ...(madeDir !== undefined && { madeDir }) };
  const now = { underWay: "change", since: record.at } as const;
  if (command === undefined) return { ...record, ...now };
  return { ...record, before: null, after: null, isByCommand: true, ...now };
}

function undoing(record: ChangeRecord): ChangeRecord {
  return { ...record, underWay: "undo", since: new Date().toISOString() };
}

/** The client's file needs no change back: what was moved here goes, and the record of the change. */
export async function forgetChange(record: ChangeRecord, tools: ChangeTools): Promise<void> {
  await locked(tools.log, record.file, async () => {
    tools.log.update(undoing(record));
    await endUndo(record, tools);
  });
}

/** How a change that was under way has ended. */
export interface Settled {
  readonly record: ChangeRecord;
  /** `part`: only some entries are changed, which a client's own command can leave. */
  readonly end: "made" | "part" | "taken_back" | "undone" | "not_undone";
}

/** A client's command outlives the process that was killed while it waited for it. */
const commandMsMax = 15_000;

/**
 * Ends what processes that were killed have left under way. Waits for one that is at it.
 * @throws {AppError} `system` while a client's command may still be changing its file
 */
export async function settleLeft(tools: ChangeTools): Promise<readonly Settled[]> {
  const isLeft = (): boolean => tools.log.records().some(({ underWay }) => underWay !== undefined);
  if (!isLeft()) return [];
  return withFileLock(tools.log.lockFile, async () => {
    const settled: Settled[] = [];
    for (const record of tools.log.records()) {
      if (record.underWay === undefined) continue;
      checkCommandOver(record);
      if (existsSync(record.file)) removeLeftDrafts(realPathOf(record.file));
      settled.push(await settle(record, tools));
    }
    return settled;
  });
}

function checkCommandOver({ client, isByCommand, at, since = at }: ChangeRecord): void {
  const left = isByCommand === true ? Date.parse(since) + commandMsMax - Date.now() : 0;
  if (left <= 0) return;
  const text = `A change of ${client} was interrupted, and the client's command may still be running. Try again in ${Math.ceil(left / 1000)} s.`;
  throw new AppError("system", text);
}

/** By what the client's file says: servers are given back only when no entry there was changed. */
async function settle(record: ChangeRecord, tools: ChangeTools): Promise<Settled> {
  const { log } = tools;
  const { underWay, since: _, ...kept } = record;
  const through = log.throughOf(record);
  const now = readClientFile(record.file);
  if (through !== undefined && now !== undefined) finishTorn(record.file, now, through);
  const part = partMade(record);
  if (underWay === "undo") {
    if (part === "none") await endUndo(record, tools);
    else log.update(kept);
    return { record, end: part === "none" ? "undone" : "not_undone" };
  }
  if (part === "none") await endUndo(record, tools);
  else log.update(kept);
  return { record, end: part === "none" ? "taken_back" : part === "all" ? "made" : "part" };
}

/** Removes the servers that the change has brought here, then its record: killed in between, it goes on from there. */
async function endUndo(
  record: ChangeRecord,
  { log, moveTarget, onStays }: ChangeTools,
): Promise<void> {
  if (record.moved !== undefined) {
    for (const text of await giveBack(record, moveTarget, log)) onStays(text);
  }
  if (record.madeDir !== undefined) removeEmptyDirs(dirname(record.file), record.madeDir);
  log.remove(record);
}

/** @throws {AppError} `config` for a file that is not what was shown, or leads out of its project */
function checkShown({ file, before, insideDir, after }: FileChange): void {
  if (after !== undefined) resolveTarget({ file, ...(insideDir !== undefined && { insideDir }) });
  if (digestOf(readClientFile(file)) === digestOf(before)) return;
  throw new AppError("config", `${file} was changed meanwhile; nothing was written. Try again.`);
}

function writeShown(change: FileChange, record: ChangeRecord, log: ChangeLog): void {
  const { file, before, after, insideDir } = change;
  const inside = insideDir === undefined ? {} : { insideDir };
  // Moving servers here has taken its time.
  checkShown(change);
  const real = after === undefined ? file : resolveTarget({ file, ...inside });
  writeClientFile(real, after, () => {
    if (before !== undefined && after !== undefined) log.keepThrough(record, before, after);
  });
  if (digestOf(readClientFile(file)) === digestOf(after)) return;
  const text = `${file} is not what was written: another program has changed it.`;
  throw new AppError("system", text);
}

/** @throws {AppError} `system` when the file does not have the wanted entries afterwards */
async function changeByCommand(
  change: FileChange,
  command: OwnCommand,
  run: RunProgram,
  record: ChangeRecord,
): Promise<void> {
  const said = await runCommands(change, command, run);
  const part = partMade(record);
  if (part === (change.undoes === undefined ? "all" : "none")) return;
  const { client, file } = change;
  const why = said === "" ? "" : ` ${said}`;
  const text = `${client.title} did not take the change: ${file} lacks it.${why}`;
  throw new AppError("system", text);
}

function withEnd(error: unknown, { end }: Settled): unknown {
  if (end !== "part" || !(error instanceof AppError)) return error;
  const text = `${error.message} It was made in part: undo takes that back.`;
  return new AppError(error.code, text, { cause: error });
}

/** Runs `work` under the lock of the log. @throws {AppError} `system` in place of errors of the system */
async function locked(log: ChangeLog, file: string, work: () => Promise<void>): Promise<void> {
  try {
    await withFileLock(log.lockFile, work);
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError("system", `${file} cannot be written: ${messageOf(error)}.`, {
      cause: error,
    });
  }
}

/** How many of the record's entries the client's file has as the change wants them. A file that cannot be read may have some. */
function partMade({ client, file, entries }: ChangeRecord): "all" | "some" | "none" {
  const { home } = clientNamed(client);
  try {
    const text = textOf(readClientFile(file));
    const made = entries.filter(({ name, after }) =>
      isSameEntry(readEntry(file, text, home, name), after ?? undefined),
    );
    return made.length === 0 ? "none" : made.length === entries.length ? "all" : "some";
  } catch (error) {
    if (error instanceof AppError) return "some";
    throw error;
  }
}

/** A client's own command may add members, such as an empty `env`. */
function isSameEntry(found: Entry | undefined, wanted: Entry | undefined): boolean {
  if (found === undefined || wanted === undefined) return found === wanted;
  return Object.entries(wanted).every(([key, value]) => Bun.deepEquals(found[key], value));
}
