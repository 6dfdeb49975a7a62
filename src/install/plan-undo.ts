import { AppError } from "../base/errors.ts";
import { type ChangeLog, type ChangeRecord, digestOf } from "./change-log.ts";
import { type FileChange, planChange, readClientFile } from "./file-change.ts";
import { clientNamed, type EditableClient } from "./find-client.ts";

/** How a change is undone. */
export type Undo =
  /** The file is as the change left it: it gets back every byte. */
  | { readonly kind: "exact"; readonly change: FileChange }
  /** It was changed since: only our entry is put back or taken out. */
  | { readonly kind: "entry"; readonly change: FileChange }
  /** It already is as before the change. */
  | { readonly kind: "done" };

/**
 * The change that undoes `record`. A newer file never gets an old copy back.
 * @throws {AppError} `config` for a file that cannot be read or edited, `not_found` for a lost copy
 */
export function planUndo(record: ChangeRecord, log: ChangeLog): Undo {
  const { file, name, entryBefore, entryAfter } = record;
  const client = clientNamed(record.client);
  const now = readClientFile(file);
  const digest = digestOf(now);
  const isByCommand = record.isByCommand === true;
  if (!isByCommand && digest === record.before) return { kind: "done" };
  if (!isByCommand && digest === record.after) {
    const change: FileChange = {
      kind: record.kind,
      client,
      file,
      name,
      before: now,
      after: log.backupOf(record),
      entryBefore: entryAfter ?? undefined,
      entryAfter: entryBefore ?? undefined,
      undoes: record,
    };
    return { kind: "exact", change };
  }
  const change = planChange(record.kind, client, file, name, entryBefore ?? undefined);
  return change === undefined
    ? { kind: "done" }
    : { kind: "entry", change: { ...change, undoes: record } };
}

/**
 * The change that takes our entry out of a file. While the file is as the installation left it, it gets back every byte.
 * Undefined when it has no such entry.
 */
export function planUninstall(
  client: EditableClient,
  file: string,
  name: string,
  log: ChangeLog,
): FileChange | undefined {
  const change = planChange("uninstall", client, file, name, undefined);
  if (change === undefined) return undefined;
  const digest = digestOf(change.before);
  const record = log
    .records()
    .findLast((one) => one.file === file && one.name === name && one.after === digest);
  const isExact = record?.kind === "install" && record.entryBefore === null;
  return isExact ? { ...change, after: log.backupOf(record) } : change;
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
