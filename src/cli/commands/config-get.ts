import { AppError } from "../../base/errors.ts";
import { configKeys, findConfigKey } from "../../config/keys.ts";
import { suggestionFor } from "../../config/nearest-name.ts";
import type { ConfigEntry } from "../../config/resolution.ts";
import type { Command } from "../command.ts";
import { exitCodes } from "../command-io.ts";
import { entriesOfLevel, levelFlag } from "../config-file-level.ts";
import { jsonFlag } from "../json-flag.ts";
import { sourceText } from "../source-text.ts";
import { startUp, startUpFlags } from "../start-up.ts";

export const configGetCommand: Command = {
  usage: "KEY [--show-source] [--level global|user|project] [--json]",
  description: "Prints the value in effect. With --level, the value in that file.",
  flags: {
    "show-source": { kind: "switch", help: "Say where the value comes from." },
    ...levelFlag,
    ...jsonFlag,
    ...startUpFlags,
  },
  arguments: { min: 1, max: 1 },
  async run({ args, io, print }) {
    const { config, dirs } = startUp(args, io, print);
    const [key = ""] = args.positionals;
    const level = args.text("level");
    const entries = level === undefined ? config.entries() : entriesOfLevel(level, dirs);
    const entry = entries.find((candidate) => candidate.key === key);
    if (entry === undefined) throw notFound(key, entries);
    if (args.has("json")) print.json(entry);
    else if (!args.has("show-source")) print.line(entry.value);
    else print.line(`${entry.value}  # ${sourceText(entry.source)}`);
    return exitCodes.done;
  },
};

function notFound(key: string, entries: readonly ConfigEntry[]): AppError {
  if (findConfigKey(key) !== undefined) return new AppError("not_found", `${key} is not set.`);
  const known = [...configKeys.keys(), ...entries.map((entry) => entry.key)];
  return new AppError("not_found", `There is no key ${key}.${suggestionFor(key, known)}`);
}
