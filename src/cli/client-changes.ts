import { AppError } from "../base/errors.ts";
import { isObject } from "../base/values.ts";
import { withFileLock } from "../config/file-lock.ts";
import type { ChangeLog, ChangeRecord, MovedServers } from "../install/change-log.ts";
import { applyByCommand, commandLine, commandWords } from "../install/client-command.ts";
import { applyChange, type FileChange } from "../install/file-change.ts";
import type { ClientFile, Machine, Scope } from "../install/find-client.ts";
import { entryName, launchWords, type OwnCommand } from "../install/install-targets.ts";
import {
  giveBack,
  type MoveTarget,
  type PlannedMove,
  takeServers,
} from "../install/move-servers.ts";
import { diffLines, snippetLines } from "../install/shown-change.ts";
import { exitCodes } from "./command-io.ts";
import type { CommandContext } from "./command.ts";
import type { SecretsOfCommand } from "./server-login.ts";
import { createAsker } from "./terminal-io.ts";

/** One command line that changes clients' files. */
export interface ClientSession {
  readonly context: CommandContext;
  readonly log: ChangeLog;
  readonly machine: Machine;
  readonly scope: Scope;
  /** The entry to add by hand is printed for a file that cannot be edited. */
  readonly isInstall: boolean;
  readonly moveTarget: MoveTarget;
  readonly announce: SecretsOfCommand["announce"];
}

/** The plan for one client. */
export interface ClientPlan {
  readonly place: ClientFile;
  /** Absent: its file is already so. */
  readonly change?: FileChange | undefined;
  /** Its servers that are moved. */
  readonly move?: PlannedMove;
  /** Why its file was left alone. */
  readonly fault?: string;
  /** It was changed by the client's own command, and so is changed back. */
  readonly isByCommand?: true;
}

/** Shows the plans, asks, makes the changes, and says what comes next. Returns the exit code. */
export async function carryOut(
  session: ClientSession,
  plans: readonly ClientPlan[],
): Promise<number> {
  const { args, print } = session.context;
  const isJson = args.has("json");
  const isDry = args.has("dry-run");
  if (!isJson) for (const plan of plans) showPlan(session, plan);
  const count = plans.filter(({ change }) => change !== undefined).length;
  if (!isDry && !(await isConfirmed(session, count))) {
    print.note("Nothing was changed.");
    return exitCodes.failed;
  }
  const done: ClientPlan[] = [];
  for (const plan of plans) done.push(isDry ? plan : await carriedOut(session, plan));
  if (isJson) {
    print.json({ dryRun: isDry, clients: done.map((plan) => jsonOf(session, plan)) });
  } else if (!isDry) {
    for (const plan of done) showEnd(session, plan);
  }
  return done.some(({ fault }) => fault !== undefined) ? exitCodes.failed : exitCodes.done;
}

/** @throws {AppError} `usage` where nobody can be asked */
async function isConfirmed({ context }: ClientSession, count: number): Promise<boolean> {
  const { args, io } = context;
  if (count === 0 || args.has("yes")) return true;
  if (!io.stdinIsTerminal || args.has("json")) {
    const message = "Nothing was changed. To confirm without a terminal, add --yes.";
    throw new AppError("usage", message);
  }
  return createAsker(io)(count === 1 ? "Make this change?" : `Make these ${count} changes?`);
}

async function carriedOut(session: ClientSession, plan: ClientPlan): Promise<ClientPlan> {
  const { change, move } = plan;
  if (change === undefined) return plan;
  try {
    const moved = await movedHere(session, move);
    await madeOrGivenBack(session, plan, change, moved);
    const taken = change.undoes?.moved;
    if (taken !== undefined) await handBack(session, taken);
    return plan;
  } catch (error) {
    if (error instanceof AppError) return { ...plan, fault: error.message };
    throw error;
  }
}

async function movedHere(
  { moveTarget, announce }: ClientSession,
  move: PlannedMove | undefined,
): Promise<MovedServers | undefined> {
  if (move === undefined || move.servers.size === 0) return undefined;
  return takeServers(move, moveTarget, announce);
}

async function madeOrGivenBack(
  session: ClientSession,
  plan: ClientPlan,
  change: FileChange,
  moved: MovedServers | undefined,
): Promise<void> {
  const { log, context } = session;
  const command = commandOf(session, plan);
  try {
    if (command === undefined) return await applyChange(change, log, moved);
    await applyByCommand(change, command, context.services.runProgram, log, moved);
  } catch (error) {
    if (moved !== undefined) await handBack(session, moved);
    throw error;
  }
}

/** The client's file needs no change back: what was moved here goes, and the record of the change. */
export async function forget(session: ClientSession, record: ChangeRecord): Promise<void> {
  if (record.moved !== undefined) await handBack(session, record.moved);
  await withFileLock(session.log.lockFile, () => session.log.remove(record));
}

async function handBack(
  { moveTarget, context }: ClientSession,
  moved: MovedServers,
): Promise<void> {
  const changed = await giveBack(moved, moveTarget.target, moveTarget.secrets);
  for (const name of changed) {
    context.print.note(`${name} was changed in ${moved.file} since, and stays there too.`);
  }
}

/** The client's own command, where its file must not be edited beside it. */
function commandOf(
  { context, scope }: ClientSession,
  { place, change, isByCommand }: ClientPlan,
): OwnCommand | undefined {
  const { command } = place.client;
  if (command === undefined || scope === "project") return undefined;
  if (change?.undoes !== undefined && isByCommand !== true) return undefined;
  if (change?.entries.some(mayShowSecrets) === true) return undefined;
  const path = context.io.env.PATH;
  const program = Bun.which(command.program, path === undefined ? {} : { PATH: path });
  return program === null ? undefined : command;
}

/** Everybody on the machine can read the arguments of a process. */
function mayShowSecrets({ name, after }: FileChange["entries"][number]): boolean {
  if (after === undefined) return false;
  const env = after["env"];
  return name !== entryName || (isObject(env) && Object.keys(env).length > 0);
}

function showPlan(session: ClientSession, plan: ClientPlan): void {
  const { print } = session.context;
  const { place, change, fault, move } = plan;
  const { client, file } = place;
  if (fault !== undefined) {
    print.error(`${client.title}: ${fault}`);
    return session.isInstall ? showSnippet(session, place) : undefined;
  }
  for (const note of move?.notes ?? []) print.warning(`${client.title}: server ${note}`);
  if (change === undefined) return print.note(`${client.title}: nothing to change in ${file}`);
  const command = commandOf(session, plan);
  print.line(`# ${client.title}`);
  if (command === undefined) for (const line of diffLines(change)) print.line(line);
  else for (const words of commandWords(command, change)) print.line(commandLine(words));
  const { servers, secrets } = move ?? {};
  if (servers !== undefined && servers.size > 0) {
    print.line(`# Moved to ${session.moveTarget.target.file}: ${[...servers.keys()].join(", ")}`);
  }
  if (secrets !== undefined && secrets.size > 0) {
    print.line(`# Kept as secrets: ${[...secrets.keys()].join(", ")}`);
  }
}

function showSnippet({ context: { print, services } }: ClientSession, place: ClientFile): void {
  print.note("To connect it by hand, add:");
  const entry = place.client.entry(launchWords(place.client, services.ownCommand), entryName);
  for (const line of snippetLines(place, entry)) print.line(line);
}

function showEnd(
  { context: { print } }: ClientSession,
  { place, change, fault }: ClientPlan,
): void {
  const { client, file } = place;
  // Faults of files that could not be edited were shown before.
  if (change === undefined) return;
  if (fault !== undefined) return print.error(`${client.title}: ${fault}`);
  print.note(`${client.title}: ${file} was changed. ${nextStepOf(place, change)}`);
}

function nextStepOf({ client }: ClientFile, change: FileChange): string {
  const { next, nextText, title } = client;
  if (nextText !== undefined && isAdded(change)) return nextText;
  if (next === "restart") return `Restart ${title}.`;
  return next === "reload" ? `Reload ${title}.` : `${title} notices it by itself.`;
}

function isAdded({ entries }: FileChange): boolean {
  return entries.some(({ name, after }) => name === entryName && after !== undefined);
}

function jsonOf(session: ClientSession, plan: ClientPlan): unknown {
  const { place, change, fault, move } = plan;
  const { client, file } = place;
  const about = { client: client.id, title: client.title, file };
  if (fault !== undefined) return { ...about, action: "failed", reason: fault };
  if (change === undefined) return { ...about, action: "none" };
  const command = commandOf(session, plan);
  return {
    ...about,
    action: isAdded(change) ? "add" : "remove",
    ...(command === undefined
      ? { diff: diffLines(change).join("\n") }
      : { commands: commandWords(command, change).map(commandLine) }),
    ...(move !== undefined && {
      moved: [...move.servers.keys()],
      secrets: [...move.secrets.keys()],
      notes: move.notes,
    }),
    next: nextStepOf(place, change),
  };
}
