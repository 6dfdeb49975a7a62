import { AppError } from "../../base/errors.ts";
import { suggestionFor } from "../../config/nearest-name.ts";
import { exitCodes } from "../command-io.ts";
import type { Command, CommandListing } from "../command.ts";
import { commandText, groupText, overviewText } from "./help-text.ts";

/** The existing commands. */
export interface KnownCommands {
  readonly listings: readonly CommandListing[];
  readonly groups: () => ReadonlySet<string>;
  readonly find: (words: readonly string[]) => CommandListing | undefined;
}

export function createHelp(known: KnownCommands): Command {
  return {
    usage: "[COMMAND]",
    description: "Explains a command, or lists them all.",
    flags: {},
    arguments: { min: 0, max: 2 },
    async run({ args, print, services }) {
      print.line(await helpText(args.positionals, services.version, known));
      return exitCodes.done;
    },
  };
}

async function helpText(
  words: readonly string[],
  version: string,
  { listings, groups, find }: KnownCommands,
): Promise<string> {
  const [first] = words;
  if (first === undefined) return overviewText(version, listings);
  if (words.length === 1 && groups().has(first)) return groupText(first, listings);
  const listing = find(words);
  const name = words.join(" ");
  if (listing === undefined) {
    const names = listings.map((known) => known.name);
    throw new AppError("usage", `There is no command ${name}.${suggestionFor(name, names)}`);
  }
  return commandText(listing, await listing.load());
}
