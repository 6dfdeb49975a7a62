import type { ConfigEntry } from "../../config/resolution.ts";
import type { Command } from "../command.ts";
import { exitCodes } from "../command-io.ts";
import { entriesOfLevel, levelFlag } from "../config-file-level.ts";
import { jsonFlag } from "../json-flag.ts";
import type { Printer } from "../print.ts";
import { sourceText } from "../source-text.ts";
import { startUp, startUpFlags } from "../start-up.ts";

export const configListCommand: Command = {
  usage: "[--show-source] [--all] [--level global|user|project] [--json]",
  description:
    "Lists every key that has a value. With --level, the values in that file, whether or not they are in effect.",
  flags: {
    "show-source": { kind: "switch", help: "Say where each value comes from." },
    all: { kind: "switch", help: "Also list keys that this version does not use." },
    ...levelFlag,
    ...jsonFlag,
    ...startUpFlags,
  },
  arguments: { min: 0, max: 0 },
  async run({ args, io, print }) {
    const { config, dirs } = startUp(args, io, print);
    const level = args.text("level");
    const entries = level === undefined ? config.entries() : entriesOfLevel(level, dirs);
    const shown = entries.filter((entry) => entry.use === "used" || args.has("all"));
    if (args.has("json")) print.json(shown);
    else printLines(shown, args.has("show-source"), print);
    return exitCodes.done;
  },
};

function printLines(entries: readonly ConfigEntry[], withSource: boolean, print: Printer): void {
  const lines = entries.map((entry) => `${entry.key}=${entry.value}`);
  const width = Math.max(0, ...lines.map((line) => Math.min(line.length, 40)));
  for (const [index, entry] of entries.entries()) {
    const line = lines[index] ?? "";
    const notes = [
      ...(withSource ? [sourceText(entry.source)] : []),
      ...(entry.use === "used" ? [] : ["not used by this version"]),
    ];
    print.line(notes.length === 0 ? line : `${line.padEnd(width)}  # ${notes.join("; ")}`);
  }
}
