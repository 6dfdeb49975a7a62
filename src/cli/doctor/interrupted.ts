import { messageOf } from "../../base/errors.ts";
import { product } from "../../base/product.ts";
import { ChangeLog, type ChangeRecord } from "../../install/change-log.ts";
import { clientNamed } from "../../install/find-client.ts";
import { type Finding, fault, note, ownRemedy } from "./finding.ts";

/** Changes of clients' files that have begun and not ended. */
export interface Interrupted {
  readonly findings: readonly Finding[];
  /** Their files: nothing else is said of them, since they may have a part of a change. */
  readonly files: ReadonlySet<string>;
}

/**
 * The changes that `install`, `uninstall` or `undo` was killed in, as the next one of them would find them. While another process
 * makes changes none is known to be interrupted.
 * @param only the client that is looked at; undefined for all
 */
export function interruptedChanges(scorpioxDir: string, only: string | undefined): Interrupted {
  const log = new ChangeLog(scorpioxDir);
  let left: readonly ChangeRecord[];
  try {
    left = log
      .records()
      .filter(({ underWay, client }) => underWay !== undefined && (only ?? client) === client);
  } catch (error) {
    const isForeign = messageOf(error).includes("EACCES");
    const remedy = isForeign ? ownRemedy(log.file) : `mv ${log.file} ${log.file}.broken`;
    const text = `the changes that undo takes back cannot be read from ${log.file}`;
    return { findings: [fault("clients", text, remedy)], files: new Set() };
  }
  const files = new Set(left.map(({ file }) => file));
  const isBusy = left.length > 0 && log.isBusy;
  return { findings: left.map((record) => findingOf(record, isBusy)), files };
}

function findingOf(
  { kind, client, file, at, since = at, underWay }: ChangeRecord,
  isBusy: boolean,
): Finding {
  const { title } = clientNamed(client);
  const what = underWay === "undo" ? `the undo of the ${kind}` : `the ${kind}`;
  if (isBusy) return note("clients", `${title}: ${what} is under way in another process (${file})`);
  return fault(
    "clients",
    `${title}: ${what} at ${since} was interrupted, and ${file} may have a part of it`,
    `${product.name} undo ${client}`,
  );
}
