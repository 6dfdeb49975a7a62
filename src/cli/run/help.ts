import { AppError } from "../../base/errors.ts";
import { suggestionFor } from "../../config/nearest-name.ts";
import type { Command } from "../command.ts";
import { exitCodes } from "../command-io.ts";
import { commandText, groupText, overviewText } from "./help-text.ts";
import { commandGroups, commandListings, findCommand } from "./registry.ts";

export const helpCommand: Command = {
  usage: "[COMMAND]",
  description: "Explains a command, or lists them all.",
  flags: {},
  arguments: { min: 0, max: 2 },
  async run({ args, print, services }) {
    const words = args.positionals;
    print.line(await helpText(words, services.version));
    return exitCodes.done;
  },
};

async function helpText(words: readonly string[], version: string): Promise<string> {
  const [first] = words;
  if (first === undefined) return overviewText(version);
  if (words.length === 1 && commandGroups().has(first)) return groupText(first);
  const listing = findCommand(words);
  const name = words.join(" ");
  if (listing === undefined) {
    const names = commandListings.map((known) => known.name);
    throw new AppError("usage", `There is no command ${name}.${suggestionFor(name, names)}`);
  }
  return commandText(listing, await listing.load());
}
