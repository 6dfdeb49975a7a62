import { join } from "node:path";

import { AppError, messageOf } from "../../base/errors.ts";
import { nearestNames } from "../../config/nearest-name.ts";
import { type HookEnd, isFailure } from "../../calls/policy/hooks/hook-end.ts";
import { isEventName, productEvents } from "../../calls/policy/hooks/hook-event.ts";
import { hooksFoldersOf } from "../../calls/policy/hooks/hooks-folders.ts";
import { readEventNames } from "../../calls/policy/hooks/read-hooks.ts";
import { type Hook, hookKey } from "../../calls/policy/hooks/hook.ts";
import { exitCodes } from "../command-io.ts";
import type { Command, CommandContext } from "../command.ts";
import { jsonFlag } from "../json-flag.ts";
import type { Printer } from "../print.ts";
import { type StartUp, startUp, startUpFlags } from "../start-up.ts";

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
    const hooks = await context.services.openHooks(start);
    try {
      await hooks.emit(eventName, data, {
        cwd: start.cwdFlag ?? io.cwd,
        signal: io.interrupted,
        onEnd: (hook, end) => void runs.push({ hook, end }),
      });
    } finally {
      await hooks.close();
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
