import { AppError } from "../../base/errors.ts";
import { product } from "../../base/product.ts";
import { ChangeLog, type ChangeRecord } from "../../install/change-log.ts";
import { applyByCommand, commandLine, commandWords } from "../../install/client-command.ts";
import { applyChange, type FileChange, planChange } from "../../install/file-change.ts";
import {
  clientNamed,
  type ClientFile,
  editableClients,
  fileOfClient,
  type Machine,
  type Scope,
} from "../../install/find-client.ts";
import { entryName, launchWords, type OwnCommand } from "../../install/install-targets.ts";
import { lastChange, planUndo, planUninstall } from "../../install/plan-undo.ts";
import { diffLines, snippetLines } from "../../install/shown-change.ts";
import { exitCodes } from "../command-io.ts";
import type { Command, CommandContext } from "../command.ts";
import { directoryFlags, type FlagTable, jsonFlag } from "../flags.ts";
import { readStartUp } from "../start-up.ts";
import { createAsker } from "../terminal-io.ts";

const clientIds = editableClients.map(({ id }) => id).join(", ");

const changeFlags: FlagTable = {
  yes: { kind: "switch", short: "y", help: "Write without asking." },
  "dry-run": { kind: "switch", help: "Show the changes without making them." },
  ...jsonFlag,
  ...directoryFlags,
};

const scopeFlag: FlagTable = {
  scope: {
    kind: "text",
    short: "s",
    choices: ["user", "project", "global", "local"],
    help: "The client's file of the user (the default; also: global), or that of the project (also: local).",
  },
};

export const installCommand: Command = {
  usage: "[CLIENT...] [--scope user|project] [--yes|--dry-run] [FLAGS]",
  description:
    "Connects clients: adds scorpiox-code to the configuration of each client that is named, or of all that are found\n" +
    "here. Shows the changes and asks first; undo takes them back. Clients:\n" +
    clientIds,
  flags: {
    ...scopeFlag,
    create: { kind: "switch", help: "Create the file of a client of which there is no sign here." },
    ...changeFlags,
  },
  arguments: { min: 0, max: editableClients.length },
  needsPerson: true,
  async run(context) {
    const session = openSession(context, true);
    const plans = filesOf(session).map((place) =>
      planned(place, () => installation(session, place)),
    );
    return finish(session, plans);
  },
};

export const uninstallCommand: Command = {
  usage: "[CLIENT...] [--scope user|project] [--yes|--dry-run] [FLAGS]",
  description:
    "Removes scorpiox-code from the configuration of each client that is named, or of all that have it.\n" +
    "A file that is as install left it gets back every byte.",
  flags: { ...scopeFlag, ...changeFlags },
  arguments: { min: 0, max: editableClients.length },
  needsPerson: true,
  async run(context) {
    const session = openSession(context);
    const { log } = session;
    const plans = filesOf(session).map((place) =>
      planned(place, () => planUninstall(place.client, place.file, entryName, log)),
    );
    return finish(session, plans);
  },
};

export const undoCommand: Command = {
  usage: "[CLIENT] [--list] [--yes|--dry-run] [FLAGS]",
  description:
    "Takes back the last change that install or uninstall made, or the last one of a client. A file that was changed since\n" +
    "keeps those changes: only the entry of scorpiox-code is put back or taken out.",
  flags: { list: { kind: "switch", help: "List the changes that can be undone." }, ...changeFlags },
  arguments: { min: 0, max: 1 },
  needsPerson: true,
  async run(context) {
    const session = openSession(context);
    const { log } = session;
    if (context.args.has("list")) return listChanges(context, log.records());
    const [word] = context.args.positionals;
    const record = lastChange(log, word === undefined ? undefined : clientNamed(word).id);
    const undo = planUndo(record, log);
    if (undo.kind === "done") {
      log.remove(record);
      context.print.note(`${record.file} is already as it was before the change.`);
      return exitCodes.done;
    }
    if (undo.kind === "entry" && record.isByCommand !== true) {
      context.print.note(
        `${record.file} was changed since: only the entry ${record.name} is changed back.`,
      );
    }
    const place = {
      client: clientNamed(record.client),
      file: record.file,
      searched: [],
      isThere: true,
    };
    const isByCommand = record.isByCommand === true;
    return finish(session, [{ place, change: undo.change, ...(isByCommand && { isByCommand }) }]);
  },
};

/** One command line at work. */
interface Session {
  readonly context: CommandContext;
  readonly log: ChangeLog;
  readonly machine: Machine;
  readonly scope: Scope;
  /** A file that cannot be edited is shown the entry to add by hand. */
  readonly isInstall: boolean;
}

/** What is to be done for a client. */
interface Plan {
  readonly place: ClientFile;
  /** Absent: its file is already so. */
  readonly change?: FileChange | undefined;
  /** Why its file was left alone. */
  readonly fault?: string;
  /** It was changed by the client's own command, and so is changed back. */
  readonly isByCommand?: true;
}

function openSession(context: CommandContext, isInstall = false): Session {
  const { args, io } = context;
  const { dirs } = readStartUp(args, io);
  const scope = ["project", "local"].includes(args.text("scope") ?? "") ? "project" : "user";
  if (scope === "project" && dirs.projectDir === undefined) {
    throw new AppError(
      "usage",
      "There is no project here. Use --scope user, or --cwd with its folder.",
    );
  }
  const machine = { dirs, env: io.env, platform: process.platform };
  return { context, log: new ChangeLog(dirs.scorpioxDir), machine, scope, isInstall };
}

/** The files of the clients that are named, or of all that are here. @throws {AppError} `not_found` */
function filesOf({ context: { args }, machine, scope }: Session): readonly ClientFile[] {
  if (args.positionals.length === 0) {
    const found = editableClients
      .flatMap((client) => fileOfClient(client, scope, machine) ?? [])
      .filter(
        ({ isThere, file, searched }) => isThere && (scope === "user" || searched.includes(file)),
      );
    // Two editors may share the file of a project.
    const own = new Map(found.map((place) => [place.file, place]));
    if (own.size > 0) return [...own.values()];
    throw new AppError("not_found", `No client found. Name one: ${clientIds}`);
  }
  return args.positionals.map((word) => {
    const client = clientNamed(word);
    const place = fileOfClient(client, scope, machine);
    if (place === undefined) {
      const other = scope === "user" ? "project" : "user";
      throw new AppError(
        "usage",
        `${client.title} has no file of the ${scope}. Use --scope ${other}.`,
      );
    }
    if (place.isThere || args.has("create")) return place;
    const places = place.searched.map((file) => `\n  ${file}`).join("");
    throw new AppError(
      "not_found",
      `There is no sign of ${client.title} here. To create its file all the same, add --create. Searched:${places}`,
    );
  });
}

function planned(place: ClientFile, plan: () => FileChange | undefined): Plan {
  try {
    return { place, change: plan() };
  } catch (error) {
    if (error instanceof AppError && error.code !== "cancelled")
      return { place, fault: error.message };
    throw error;
  }
}

function installation(
  { context, machine, scope }: Session,
  { client, file }: ClientFile,
): FileChange | undefined {
  const words = launchWords(client, context.services.ownCommand);
  const change = planChange("install", client, file, entryName, client.entry(words, entryName));
  const insideDir = scope === "project" ? machine.dirs.projectDir : undefined;
  return change === undefined ? undefined : { ...change, insideDir };
}

/** Shows the plans, asks, makes the changes, and says what to do next. */
async function finish(session: Session, plans: readonly Plan[]): Promise<number> {
  const { args, print, io } = session.context;
  const changes = plans.filter(({ change }) => change !== undefined);
  const isDry = args.has("dry-run");
  if (!args.has("json")) for (const plan of plans) showPlan(session, plan);
  if (changes.length > 0 && !isDry && !args.has("yes")) {
    if (!io.stdinIsTerminal || args.has("json")) {
      throw new AppError("usage", "Nothing was changed. To confirm without a terminal, add --yes.");
    }
    const files = changes.length === 1 ? "this change" : `these ${changes.length} changes`;
    if (!(await createAsker(io)(`Make ${files}?`))) {
      print.note("Nothing was changed.");
      return exitCodes.failed;
    }
  }
  const done: Plan[] = [];
  for (const plan of plans) done.push(isDry ? plan : await carriedOut(session, plan));
  if (args.has("json"))
    print.json({ dryRun: isDry, clients: done.map((plan) => jsonOf(session, plan)) });
  else if (!isDry) for (const plan of done) showEnd(session, plan);
  return done.some(({ fault }) => fault !== undefined) ? exitCodes.failed : exitCodes.done;
}

async function carriedOut(session: Session, plan: Plan): Promise<Plan> {
  const { change } = plan;
  if (change === undefined) return plan;
  const command = commandOf(session, plan);
  try {
    if (command === undefined) await applyChange(change, session.log);
    else await applyByCommand(change, command, session.context.services.runProgram, session.log);
    return plan;
  } catch (error) {
    if (error instanceof AppError) return { place: plan.place, fault: error.message };
    throw error;
  }
}

/** The client's own command, where its file must not be edited beside it. */
function commandOf(
  { context, scope }: Session,
  { place, change, isByCommand }: Plan,
): OwnCommand | undefined {
  const { command } = place.client;
  if (command === undefined || scope === "project") return undefined;
  if (change?.undoes !== undefined && isByCommand !== true) return undefined;
  const path = context.io.env.PATH;
  return Bun.which(command.program, path === undefined ? {} : { PATH: path }) === null
    ? undefined
    : command;
}

function showPlan(session: Session, plan: Plan): void {
  const { print } = session.context;
  const { place, change, fault } = plan;
  const { client, file } = place;
  if (fault !== undefined) {
    print.error(`${client.title}: ${fault}`);
    return session.isInstall ? showSnippet(session, place) : undefined;
  }
  if (change === undefined) return print.note(`${client.title}: nothing to change in ${file}`);
  const command = commandOf(session, plan);
  print.line(`# ${client.title}`);
  if (command === undefined) for (const line of diffLines(change)) print.line(line);
  else for (const words of commandWords(command, change)) print.line(commandLine(words));
}

function showSnippet({ context: { print, services } }: Session, place: ClientFile): void {
  print.note("To connect it by hand, add:");
  const entry = place.client.entry(launchWords(place.client, services.ownCommand), entryName);
  for (const line of snippetLines(place, entry)) print.line(line);
}

function showEnd({ context: { print } }: Session, { place, change, fault }: Plan): void {
  const { client, file } = place;
  if (fault !== undefined) {
    if (change === undefined) return;
    return print.error(fault);
  }
  if (change === undefined) return;
  print.note(`${client.title}: ${file} was changed. ${nextText(place, change)}`);
}

function nextText({ client }: ClientFile, { entryAfter }: FileChange): string {
  const { next, nextText: text, title } = client;
  if (entryAfter !== undefined && text !== undefined) return text;
  if (next === "restart") return `Restart ${title}.`;
  return next === "reload" ? `Reload ${title}.` : `${title} notices it by itself.`;
}

function jsonOf(session: Session, plan: Plan): unknown {
  const { place, change, fault } = plan;
  const { client, file } = place;
  const about = { client: client.id, title: client.title, file };
  if (fault !== undefined) return { ...about, action: "failed", reason: fault };
  if (change === undefined) return { ...about, action: "none" };
  const command = commandOf(session, plan);
  const how =
    command === undefined
      ? { diff: diffLines(change).join("\n") }
      : { commands: commandWords(command, change).map(commandLine) };
  return {
    ...about,
    action: change.entryAfter === undefined ? "remove" : "add",
    ...how,
    next: nextText(place, change),
  };
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
