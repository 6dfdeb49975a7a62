import { AppError } from "../base/errors.ts";
import { product } from "../base/product.ts";
import { isObject } from "../base/values.ts";
import type { ChangeLog, ChangeRecord } from "../install/change-log.ts";
import { commandLine, commandWords } from "../install/client-command.ts";
import type { FileChange } from "../install/file-change.ts";
import { type ClientFile, clientNamed, type Machine, type Scope } from "../install/find-client.ts";
import { entryName, launchWords, type OwnCommand } from "../install/install-targets.ts";
import { type ChangeTools, makeChange, type Settled, settleLeft } from "../install/make-change.ts";
import type { MoveTarget, PlannedMove } from "../install/move-servers.ts";
import { diffLines, snippetLines } from "../install/shown-change.ts";
import { exitCodes } from "./command-io.ts";
import type { CommandContext } from "./command.ts";
import { withProgress } from "./progress.ts";
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

/** A plan that says how its change is made. */
interface ReadyPlan extends ClientPlan {
  /** Absent: its file is edited. */
  readonly command: OwnCommand | undefined;
}

/** Shows the plans, asks, makes the changes, and says what comes next. Returns the exit code. */
export async function carryOut(
  session: ClientSession,
  wanted: readonly ClientPlan[],
): Promise<number> {
  const { args, print } = session.context;
  // Looked up once: a change is made as it was shown.
  const plans = wanted.map((plan) => ({ ...plan, command: commandOf(session, plan) }));
  const isJson = args.has("json");
  const isDry = args.has("dry-run");
  if (!isJson) for (const plan of plans) showPlan(session, plan);
  const count = plans.filter(({ change }) => change !== undefined).length;
  if (!isDry && !(await isConfirmed(session, count))) {
    print.note("Nothing was changed.");
    return exitCodes.failed;
  }
  const done: ReadyPlan[] = [];
  for (const plan of plans) {
    const text = `Changing ${plan.place.client.title}`;
    const carry = (): Promise<ReadyPlan> => carriedOut(session, plan);
    done.push(isDry ? plan : await withProgress(session.context, () => text, carry));
  }
  if (isJson) {
    print.json({ dryRun: isDry, clients: done.map(jsonOf) });
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

async function carriedOut(session: ClientSession, plan: ReadyPlan): Promise<ReadyPlan> {
  const { change, move, command } = plan;
  if (change === undefined) return plan;
  try {
    await makeChange(change, toolsOf(session), { move, command });
    return plan;
  } catch (error) {
    if (error instanceof AppError) return { ...plan, fault: error.message };
    throw error;
  }
}

export function toolsOf({ context, log, moveTarget, announce }: ClientSession): ChangeTools {
  return {
    log,
    moveTarget,
    run: (words) => {
      context.print.detail(`runs ${commandLine(words)}`);
      return context.services.runProgram(words);
    },
    onPlace: announce,
    onStays: (text) => context.print.note(text),
  };
}

/** Ends, and names, what killed commands have left under way. Returns how each ended. */
export async function settleEarlier(session: ClientSession): Promise<readonly Settled[]> {
  const { args, print } = session.context;
  if (args.has("dry-run")) {
    for (const { underWay, client, at } of session.log.records()) {
      if (underWay === undefined) continue;
      print.warning(
        `The change of ${client} at ${at} was interrupted. The next install, uninstall or undo ends it.`,
      );
    }
    return [];
  }
  const settled = await settleLeft(toolsOf(session));
  for (const { record, end } of settled) print.warning(endText(record, end));
  return settled;
}

function endText({ kind, client, file, at }: ChangeRecord, end: Settled["end"]): string {
  const { title } = clientNamed(client);
  const what = `${title}: the ${kind} at ${at} was interrupted`;
  switch (end) {
    case "made":
      return `${what} after ${file} was changed. It is whole; undo ${client} takes it back.`;
    case "part":
      return `${what} with a part of ${file} changed; undo ${client} takes that back.`;
    case "taken_back":
      return `${what} before ${file} was changed. Servers that it had moved here are gone again.`;
    case "undone":
      return `${title}: the undo of the ${kind} at ${at} was interrupted, and is finished now.`;
    case "not_undone":
      return `${title}: the undo of the ${kind} at ${at} was interrupted before ${file} was changed.`;
  }
}

/** The client's own command, where its file must not be edited beside it. */
function commandOf(
  { context, scope }: ClientSession,
  { place, change, isByCommand }: ClientPlan,
): OwnCommand | undefined {
  const { command } = place.client;
  if (command === undefined || change === undefined || scope === "project") return undefined;
  if (change.undoes !== undefined && isByCommand !== true) return undefined;
  if (change.entries.some(mayShowSecrets)) return undefined;
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

function showPlan(session: ClientSession, plan: ReadyPlan): void {
  const { print } = session.context;
  const { place, change, fault, move, command } = plan;
  const { client, file } = place;
  print.detail(`${client.title}: looked for ${place.searched.join(", ")}`);
  if (fault !== undefined) {
    print.error(`${client.title}: ${fault}`);
    return session.isInstall ? showSnippet(session, place) : undefined;
  }
  for (const note of move?.notes ?? []) print.warning(`${client.title}: server ${note}`);
  showProjects(session, client, move?.ofProjects ?? []);
  if (change === undefined) return print.note(`${client.title}: nothing to change in ${file}`);
  print.line(`# ${client.title}`);
  if (command === undefined) for (const line of diffLines(change)) print.diff(line);
  else for (const words of commandWords(command, change)) print.line(commandLine(words));
  if (move !== undefined) showMove(session, move);
}

function showMove(
  { context: { print }, moveTarget }: ClientSession,
  { servers, shared, secrets }: PlannedMove,
): void {
  const { file } = moveTarget.target;
  if (shared.length > 0) print.line(`# In ${file} already: ${shared.join(", ")}`);
  if (servers.size > 0) print.line(`# Moved to ${file}: ${[...servers.keys()].join(", ")}`);
  if (secrets.size > 0) print.line(`# Kept as secrets: ${[...secrets.keys()].join(", ")}`);
}

/** A file of years has hundreds of projects. */
const projectsShownMax = 5;

function showProjects(
  { context: { print } }: ClientSession,
  { id, title }: ClientFile["client"],
  all: readonly string[],
): void {
  if (all.length === 0) return;
  const shown = all.slice(0, projectsShownMax);
  const more = all.length - shown.length;
  const rest = more === 0 ? "" : `; and of ${more} other projects`;
  print.warning(
    `${title}: servers of single projects are not moved: ${shown.join("; ")}${rest}. To have them here for their project, run in its folder: ${product.name} mcp import ${id}`,
  );
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
  const did =
    change.after === undefined ? "removed" : change.before === undefined ? "created" : "changed";
  print.done(`${client.title}: ${file} was ${did}. ${nextStepOf(place, change)}`);
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

function jsonOf({ place, change, fault, move, command }: ReadyPlan): unknown {
  const { client, file } = place;
  const about = { client: client.id, title: client.title, file };
  if (fault !== undefined) return { ...about, action: "failed", reason: fault };
  if (change === undefined) return { ...about, action: "none" };
  return {
    ...about,
    action: isAdded(change) ? "add" : "remove",
    ...(command === undefined
      ? { diff: diffLines(change).join("\n") }
      : { commands: commandWords(command, change).map(commandLine) }),
    ...(move !== undefined && {
      moved: [...move.servers.keys()],
      shared: move.shared,
      secrets: [...move.secrets.keys()],
      notes: move.notes,
      ofProjects: move.ofProjects,
    }),
    next: nextStepOf(place, change),
  };
}
