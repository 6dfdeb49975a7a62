import { suggestionFor } from "../../config/nearest-name.ts";
import { productEvents } from "../../calls/policy/hooks/hook-event.ts";
import type { HookRow } from "../../calls/policy/hooks/survey-hooks.ts";
import { exitCodes } from "../command-io.ts";
import type { Command } from "../command.ts";
import { keyOf, readHookRows } from "../hook-rows.ts";
import { jsonFlag } from "../json-flag.ts";
import { directoryFlags, readStartUp } from "../start-up.ts";

export const hooksListCommand: Command = {
  usage: "[FLAGS]",
  description:
    "Lists the files in ~/.scorpiox/hooks and in the project's .scorpiox/hooks in the order in which they run, and why a file\n" +
    "is skipped. A project's hook runs once it is approved: hooks approve.",
  flags: { ...jsonFlag, ...directoryFlags },
  arguments: { min: 0, max: 0 },
  async run({ args, io, print }) {
    const start = readStartUp(args, io);
    const rows = await readHookRows(start);
    const { isEnabled } = start.config.settings.hooks;
    if (args.has("json")) print.json({ enabled: isEnabled, hooks: rows });
    else for (const line of linesOf(rows)) print.row(line);
    for (const note of strangeEvents(rows)) print.note(note);
    if (!isEnabled) print.note("Hooks are switched off: HOOKS_ENABLED is false.");
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

function linesOf(rows: readonly HookRow[]): readonly string[] {
  const names = rows.map(keyOf);
  const width = Math.min(50, Math.max(0, ...names.map((name) => name.length)));
  return rows.map((row, index) => {
    const state = row.reason === null ? row.state : `${row.state}: ${row.reason}`;
    const name = (names[index] ?? "").padEnd(width);
    return `${name}  ${row.scope.padEnd(7)}  ${(row.mode ?? "-").padEnd(6)}  ${state}`;
  });
}
