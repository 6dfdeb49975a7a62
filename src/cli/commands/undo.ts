import { AppError } from "../../base/errors.ts";
import { product } from "../../base/product.ts";
import type { ChangeRecord } from "../../install/change-log.ts";
import { type ClientFile, clientNamed, editableClients } from "../../install/find-client.ts";
import { forgetChange, type Settled } from "../../install/make-change.ts";
import { lastChange, planUndo } from "../../install/plan-undo.ts";
import {
  carryOut,
  type ClientPlan,
  type ClientSession,
  settleEarlier,
  toolsOf,
} from "../client-changes.ts";
import { changeFlags, openSession, planned, type PlannedPart } from "../client-session.ts";
import { exitCodes } from "../command-io.ts";
import type { Command, CommandContext } from "../command.ts";

export const undoCommand: Command = {
  usage: "[CLIENT...|--all] [--list] [--yes|--dry-run] [FLAGS]",
  description:
    "Takes back the last change that install or uninstall made, or the last one of each client that is named, or of all with\n" +
    "--all. Shows the changes and asks first. A file that was changed since keeps those changes: only the entry of\n" +
    "scorpiox-code is put back or taken out.",
  examples: ["undo", "undo cursor zed", "undo --all --dry-run"],
  flags: {
    all: { kind: "switch", help: "Take back the last change of every client that has one." },
    list: { kind: "switch", help: "List the changes that can be undone." },
    ...changeFlags,
  },
  arguments: { min: 0, max: editableClients.length },
  needsPerson: true,
  async run(context) {
    const session = openSession(context);
    const { args, print } = context;
    const named = args.positionals.map((word) => clientNamed(word).id);
    if (args.has("all") && named.length > 0) {
      throw new AppError("usage", "--all is every client. Leave it out, or name none.");
    }
    if (args.has("list")) return listChanges(context, session.log.records());
    const records = wantedChanges(session, named, await settleEarlier(session));
    const plans: ClientPlan[] = [];
    for (const record of records) {
      const plan = await planned(placeOf(record), () => undoOf(session, record, plans));
      if (plan.change !== undefined || plan.fault !== undefined) plans.push(plan);
    }
    if (plans.length > 0) return carryOut(session, plans);
    if (args.has("json")) print.json({ dryRun: args.has("dry-run"), clients: [] });
    return exitCodes.done;
  },
};

/**
 * The changes to take back, the newest first: a server that several clients share here is then given back by the one that has
 * brought it. A client whose interrupted change was just taken back has none: the user wants that one undone, not the one before.
 * @throws {AppError} `not_found`
 */
function wantedChanges(
  { context, log }: ClientSession,
  named: readonly string[],
  settled: readonly Settled[],
): readonly ChangeRecord[] {
  const undone = settled.flatMap(({ record, end }) =>
    end === "taken_back" || end === "undone" ? [record.client] : [],
  );
  const all = log.records().toReversed();
  const ids = context.args.has("all") ? all.map(({ client }) => client) : named;
  if (ids.length === 0) return undone.length > 0 ? [] : [lastChange(log)];
  const wanted = new Set(
    ids.filter((id) => !undone.includes(id)).map((id) => lastChange(log, id).id),
  );
  return all.filter(({ id }) => wanted.has(id));
}

function placeOf({ client, file }: ChangeRecord): ClientFile {
  return { client: clientNamed(client), file, searched: [file], isThere: true };
}

/** Empty for a file that is already as before: its change is forgotten. @throws {AppError} `config` */
async function undoOf(
  session: ClientSession,
  record: ChangeRecord,
  others: readonly ClientPlan[],
): Promise<PlannedPart> {
  const { client, file } = record;
  // Each plan is bound to the bytes that are there now.
  if (others.some(({ place }) => place.file === file)) {
    const text = `the later change of ${file} comes first. Run undo ${client} afterwards.`;
    throw new AppError("config", text);
  }
  const { args, print } = session.context;
  const undo = planUndo(record, session.log);
  if (undo.kind === "done") {
    if (!args.has("dry-run")) await forgetChange(record, toolsOf(session));
    print.note(`${file} is already as it was before the change.`);
    return {};
  }
  const isByCommand = record.isByCommand === true;
  if (undo.kind === "entries" && !isByCommand) {
    const names = record.entries.map(({ name }) => name);
    const which = names.length === 1 ? "the entry" : "the entries";
    print.note(`${file} was changed since: only ${which} ${names.join(", ")} is changed back.`);
  }
  return { change: undo.change, ...(isByCommand && { isByCommand }) };
}

function listChanges({ args, print }: CommandContext, records: readonly ChangeRecord[]): number {
  const rows = records.toReversed();
  if (args.has("json")) {
    print.json({ changes: rows.map(({ kind, client, file, at }) => ({ kind, client, file, at })) });
    return exitCodes.done;
  }
  for (const { kind, client, file, at } of rows) print.row(`${at}  ${kind}  ${client}  ${file}`);
  if (rows.length === 0) print.note(`There is no change of ${product.name} to undo.`);
  return exitCodes.done;
}
