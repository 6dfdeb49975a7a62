import { join } from "node:path";
import { AppError, messageOf } from "../../base/errors.ts";
import { escapeName } from "../../base/unsafe-characters.ts";
import { HookApprovals } from "../../calls/policy/hooks/hook-approvals.ts";
import {
  type HookRow,
  type HookToApprove,
  readEventNames,
  surveyHooks,
} from "../../calls/policy/hooks/read-hooks.ts";
import {
  type Hook,
  type HookEnd,
  hookKey,
  isEventName,
  isFailure,
  productEvents,
} from "../../calls/policy/hooks/hook.ts";
import { hooksFoldersOf } from "../../calls/policy/hooks/session-folder.ts";
import { nearestNames, suggestionFor } from "../../config/nearest-name.ts";
import { exitCodes, type Printer } from "../command-io.ts";
import type { Command, CommandContext } from "../command.ts";
import { directoryFlags, jsonFlag, startUpFlags } from "../flags.ts";
import type { Mark } from "../look.ts";
import { readStartUp, type StartUp, startUp } from "../start-up.ts";
import { hookStates } from "../state-words.ts";
import { createAsker } from "../terminal-io.ts";

export const hooksApproveCommand: Command = {
  usage: "[EVENT/NAME ...] [--yes]",
  description:
    "Shows the project's hooks that are not approved, or have changed since, and asks whether they may run.\n" +
    "An approval is for the content: a changed hook must be approved again.",
  flags: {
    yes: { kind: "switch", short: "y", help: "Approve without asking." },
    ...jsonFlag,
    ...directoryFlags,
  },
  arguments: { min: 0, max: Number.MAX_SAFE_INTEGER },
  needsPerson: true,
  async run(context) {
    const { args, io, print } = context;
    const project = await readProjectHooks(readStartUp(args, io), args.positionals);
    const waiting = project.hooks.filter(({ row }) => row.state !== "ready");
    if (args.has("json")) print.json(waiting.map(({ row }) => row));
    else for (const hook of waiting) showHook(hook, print);
    if (waiting.length === 0) {
      print.note("Nothing to approve.");
      return exitCodes.done;
    }
    if (!(await isApproved(context, waiting.length))) return exitCodes.needsApproval;
    await approve(project, waiting);
    print.done(`Approved: ${waiting.map(({ row }) => keyOf(row)).join(", ")}`);
    return exitCodes.done;
  },
};

/** The whole file, binary or not: omitted bytes would be approved unseen, and a shell reads on behind binary data. */
function showHook({ row, content }: HookToApprove, print: Printer): void {
  print.row(`${keyOf(row)}  (${hookStates[row.state].word})`);
  print.row(`  file    ${row.path}`);
  print.row(`  size    ${content.length} bytes`);
  print.row(`  sha256  ${row.sha256 ?? ""}`);
  const lines = new TextDecoder().decode(content).trimEnd().split("\n");
  for (const line of lines) print.line(`  | ${line}`);
}

async function isApproved({ args, io, print }: CommandContext, count: number): Promise<boolean> {
  if (args.has("yes")) return true;
  const what = count === 1 ? "this hook" : `these ${count} hooks`;
  if (io.stdinIsTerminal && (await createAsker(io)(`Let ${what} run in this project?`)))
    return true;
  const remedy = io.stdinIsTerminal ? "" : " Read the list and run this again with --yes.";
  print.note(`Nothing was approved.${remedy}`);
  return false;
}

/** Earlier approvals of hooks that still exist are kept. */
async function approve(
  { approvals, hooks }: ProjectHooks,
  waiting: readonly HookToApprove[],
): Promise<void> {
  const digests = new Map(await approvals.read());
  for (const { row } of hooks) if (row.state === "changed") digests.delete(keyOf(row));
  for (const { row } of waiting) if (row.sha256 !== null) digests.set(keyOf(row), row.sha256);
  await approvals.write(digests);
}

interface Run {
  readonly hook: Hook;
  readonly end: HookEnd;
}

export const hooksEmitCommand: Command = {
  usage: "EVENT ['JSON'] [FLAGS]",
  description:
    "Runs the hooks of an event, built-in or custom, waits for all of them and prints how they ended. A custom event is one\n" +
    "that has a folder of hooks. Exits with 1 when a hook failed, 4 when one of the project is not approved, 3 when there is\n" +
    "no such event.",
  flags: { ...jsonFlag, ...startUpFlags },
  arguments: { min: 1, max: 2 },
  needsPerson: false,
  async run(context) {
    const { args, io, print } = context;
    const [eventName = "", text = "{}"] = args.positionals;
    const data = readData(eventName, text);
    const start = startUp(args, io, print);
    if (!start.config.settings.hooks.isEnabled) {
      print.error("No hook was run: HOOKS_ENABLED is false.");
      return exitCodes.failed;
    }
    await checkEvent(eventName, start);
    const runs: Run[] = [];
    {
      await using hooks = await context.services.openHooks(start);
      await hooks.emit(eventName, data, {
        cwd: start.cwdFlag ?? io.cwd,
        signal: io.interrupted,
        onEnd: (hook, end) => {
          print.detail(`ran ${hook.path}`);
          runs.push({ hook, end });
        },
      });
    }
    return report(context, eventName, runs);
  },
};

/**
 * An event is built-in, or has a folder of hooks: any other name is a typo, for which nothing would run.
 * @throws AppError `not_found`
 */
async function checkEvent(eventName: string, { dirs }: StartUp): Promise<void> {
  const folders = hooksFoldersOf(dirs);
  const own = (await Promise.all(folders.map((folder) => readEventNames(folder)))).flat();
  const known = [...new Set([...productEvents, ...own])];
  if (known.includes(eventName)) return;
  const nearest = nearestNames(eventName, known, 5);
  const hint = nearest.length === 0 ? "" : ` Did you mean ${nearest.join(", ")}?`;
  const places = folders.map(({ hooksDir }) => join(hooksDir, eventName)).join(" or ");
  throw new AppError(
    "not_found",
    `There is no event ${eventName}, and no folder ${places} for a custom event.${hint}`,
  );
}

function readData(eventName: string, text: string): unknown {
  if (!isEventName(eventName)) {
    const allowed = "use up to 64 letters, digits, _ and -, beginning with a letter or digit";
    throw new AppError("usage", `${eventName} is not an event name: ${allowed}.`);
  }
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new AppError("usage", `The data is not JSON: ${messageOf(error)}.`);
  }
}

function report({ args, print }: CommandContext, eventName: string, runs: readonly Run[]): number {
  const own = runs.filter(({ hook }) => hook.eventName === eventName);
  if (args.has("json")) print.json(own.map(rowOf));
  else for (const run of own) printRun(run, print);
  if (own.length === 0) print.note(`No hook was run for ${eventName}.`);
  if (own.some(({ end }) => isFailure(end) || end.state === "cancelled")) return exitCodes.failed;
  const isHeld = own.some(({ end }) => end.state === "held");
  return isHeld ? exitCodes.needsApproval : exitCodes.done;
}

function rowOf({ hook, end }: Run): unknown {
  const { state, how, exitCode, durationMs, output } = end;
  return { hook: hookKey(hook), scope: hook.scope, state, how, exitCode, durationMs, output };
}

function printRun({ hook, end }: Run, print: Printer): void {
  print.line(`${hookKey(hook)} (${hook.scope}) ${end.how}, ${end.durationMs} ms`);
  if (end.output === "") return;
  for (const line of end.output.split("\n")) print.line(`  ${line}`);
}

export const hooksListCommand: Command = {
  usage: "[FLAGS]",
  description:
    "Lists the files in ~/.scorpiox/hooks and in the project's .scorpiox/hooks in the order in which they run, and why a file\n" +
    "is skipped. A project's hook runs once it is approved: hooks approve.",
  flags: { ...jsonFlag, ...directoryFlags },
  arguments: { min: 0, max: 0 },
  needsPerson: false,
  async run({ args, io, print }) {
    const start = readStartUp(args, io);
    const rows = await readHookRows(start);
    const { isEnabled } = start.config.settings.hooks;
    if (args.has("json")) print.json({ enabled: isEnabled, hooks: rows });
    else for (const [mark, line] of linesOf(rows)) print.marked(mark, escapeName(line));
    for (const note of strangeEvents(rows)) print.note(note);
    if (!isEnabled) print.note("Hooks are disabled: HOOKS_ENABLED is false.");
    else if (rows.length === 0) print.note("There are no hooks.");
    return exitCodes.done;
  },
};

/** A folder whose name is almost that of a built-in event: its hooks would never run. */
function strangeEvents(rows: readonly HookRow[]): readonly string[] {
  const events = new Set(rows.map(({ event }) => event));
  return [...events].flatMap((event) => {
    if ((productEvents as readonly string[]).includes(event)) return [];
    const suggestion = suggestionFor(event, productEvents);
    return suggestion === "" ? [] : [`${event} is a custom event.${suggestion}`];
  });
}

function linesOf(rows: readonly HookRow[]): readonly (readonly [Mark, string])[] {
  const names = rows.map(keyOf);
  const width = Math.min(50, Math.max(0, ...names.map((name) => name.length)));
  return rows.map((row, index) => {
    const { word, mark } = hookStates[row.state];
    const state = row.reason === null ? word : `${word}: ${row.reason}`;
    const name = (names[index] ?? "").padEnd(width);
    const text = `${name}  ${row.scope.padEnd(7)}  ${(row.mode ?? "-").padEnd(6)}  ${state}`;
    return [mark, text] as const;
  });
}

export const hooksRevokeCommand: Command = {
  usage: "[EVENT/NAME ...]",
  description: "Withdraws the approval of the project's hooks; of all of them if none is named.",
  flags: { ...directoryFlags },
  arguments: { min: 0, max: Number.MAX_SAFE_INTEGER },
  needsPerson: true,
  async run({ args, io, print }) {
    const approvals = readApprovals(readStartUp(args, io));
    const digests = new Map(await approvals.read());
    const keys = args.positionals.length === 0 ? [...digests.keys()] : args.positionals;
    for (const key of keys) {
      if (digests.delete(key)) continue;
      throw new AppError(
        "not_found",
        `The hook ${key} is not approved. See: scorpiox-code hooks list`,
      );
    }
    await approvals.write(digests);
    print.note(keys.length === 0 ? "Nothing was approved." : `Revoked: ${keys.join(", ")}`);
    return exitCodes.done;
  },
};

/** Everything in the hooks folders, in the order in which it runs. */
export async function readHookRows({ dirs }: StartUp): Promise<readonly HookRow[]> {
  const approvals =
    dirs.projectDir === undefined
      ? undefined
      : new HookApprovals(dirs.scorpioxDir, dirs.projectDir);
  const found = await surveyHooks(hooksFoldersOf(dirs), approvals);
  return found.map(({ row }) => row);
}

/** The hooks of the project, and which of them are approved. */
export interface ProjectHooks {
  readonly hooks: readonly HookToApprove[];
  readonly approvals: HookApprovals;
}

/**
 * The project's hooks that can be approved; those of `keys` when there are any.
 * @throws AppError `not_found` where there is no project, or no hook of that name
 */
export async function readProjectHooks(
  { dirs }: StartUp,
  keys: readonly string[],
): Promise<ProjectHooks> {
  const approvals = readApprovals({ dirs });
  const folders = hooksFoldersOf(dirs).filter(({ scope }) => scope === "project");
  const all = (await surveyHooks(folders, approvals)).flatMap(({ row, content }) =>
    content === undefined ? [] : [{ row, content }],
  );
  const unknown = keys.find((key) => !all.some(({ row }) => keyOf(row) === key));
  if (unknown !== undefined) {
    const where = `${dirs.projectDir}/.scorpiox/hooks`;
    throw new AppError(
      "not_found",
      `There is no hook ${unknown} in ${where}. See: scorpiox-code hooks list`,
    );
  }
  const hooks = keys.length === 0 ? all : all.filter(({ row }) => keys.includes(keyOf(row)));
  return { hooks, approvals };
}

/** The approved hooks of the project. @throws AppError `not_found` where there is no project */
export function readApprovals({ dirs }: Pick<StartUp, "dirs">): HookApprovals {
  if (dirs.projectDir !== undefined) return new HookApprovals(dirs.scorpioxDir, dirs.projectDir);
  throw new AppError("not_found", "There is no project here: give its folder with --cwd.");
}

/** How a hook is named: its event and its file. */
export function keyOf({ event, name }: Pick<HookRow, "event" | "name">): string {
  return `${event}/${name}`;
}
