import { AppError } from "../base/errors.ts";
import { type ChangeLog, type ChangeRecord, digestOf } from "./change-log.ts";
import { type FileChange, planChange, readClientFile } from "./file-change.ts";
import { clientNamed, type EditableClient } from "./find-client.ts";
import { entryName } from "./install-targets.ts";

/** How a change is undone. */
export type Undo =
  /** The file is as the change left it: it gets back every byte. */
  | { readonly kind: "exact"; readonly change: FileChange }
  /** It was changed since, or the copy is lost: only our entries are put back or taken out. */
  | { readonly kind: "entries"; readonly change: FileChange }
  /** It already is as before the change. */
  | { readonly kind: "done" };

/**
 * The change that undoes `record`. A newer file never gets an old copy back.
 * @throws {AppError} `config` for a file that cannot be read or edited
 */
export function planUndo(record: ChangeRecord, log: ChangeLog): Undo {
  const { kind, file, entries, isByCommand = false, insideDir } = record;
  const bound = { undoes: record, insideDir };
  const client = clientNamed(record.client);
  const now = readClientFile(file);
  const digest = digestOf(now);
  if (!isByCommand && digest === record.before) return { kind: "done" };
  const copy = digest === record.after ? log.backupOf(record) : undefined;
  if (!isByCommand && copy !== undefined) {
    const back = entries.map(({ name, before, after }) => ({
      name,
      before: after ?? undefined,
      after: before ?? undefined,
    }));
    const after = copy.bytes;
    const change = { kind, client, file, entries: back, before: now, after, ...bound };
    return { kind: "exact", change };
  }
  const wanted = new Map(entries.map(({ name, before }) => [name, before ?? undefined]));
  const change = planChange(kind, client, file, wanted);
  return change === undefined
    ? { kind: "done" }
    : { kind: "entries", change: { ...change, ...bound } };
}

/**
 * The change that takes our entry out of a file. While the file is as the installation left it, it gets back every byte.
 * Undefined when it has no such entry.
 */
export function planUninstall(
  client: EditableClient,
  file: string,
  log: ChangeLog,
): FileChange | undefined {
  const change = planChange("uninstall", client, file, new Map([[entryName, undefined]]));
  if (change === undefined) return undefined;
  const digest = digestOf(change.before);
  const record = log.records().findLast((one) => one.file === file && one.after === digest);
  const [only, ...others] = record?.entries ?? [];
  const isExact = only?.name === entryName && only.before === null && others.length === 0;
  const copy = isExact && record !== undefined ? log.backupOf(record) : undefined;
  return copy === undefined ? change : { ...change, after: copy.bytes };
}

/** The last change, or the last one of a client. @throws {AppError} `not_found` */
export function lastChange(log: ChangeLog, clientId?: string): ChangeRecord {
  const record = log
    .records()
    .findLast(({ client }) => clientId === undefined || client === clientId);
  if (record !== undefined) return record;
  const whose = clientId === undefined ? "" : ` of ${clientId}`;
  throw new AppError("not_found", `There is no change${whose} to undo.`);
}
