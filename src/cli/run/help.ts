import { AppError } from "../../base/errors.ts";
import { product } from "../../base/product.ts";
import { suggestionFor } from "../../config/nearest-name.ts";
import { columns, exitCodes } from "../command-io.ts";
import type { Command, CommandListing, KnownCommands } from "../command.ts";
import { type FlagTable, helpFlag } from "../flags.ts";

export function createHelp(known: KnownCommands): Command {
  return {
    usage: "[COMMAND]",
    description: "Explains a command, or lists them all.",
    flags: {},
    arguments: { min: 0, max: 2 },
    needsPerson: false,
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

/**
 * The help for a group of commands: for words that name no command.
 * @throws AppError `usage` unless they ask for it
 */
export function groupHelp(words: readonly string[], { listings, groups }: KnownCommands): string {
  const [first = "", second] = words;
  const names = listings.map((listing) => listing.name);
  if (!groups().has(first)) throw unknownCommand(first, [...names, ...groups()]);
  if (second === "--help" || second === "-h") return groupText(first, listings);
  if (second === undefined || second.startsWith("-")) {
    const inGroup = names.filter((known) => known.startsWith(`${first} `)).join(", ");
    throw new AppError("usage", `${first} is incomplete. Commands: ${inGroup}`);
  }
  throw unknownCommand(`${first} ${second}`, names);
}

function unknownCommand(name: string, candidates: readonly string[]): AppError {
  const suggestion = suggestionFor(name, candidates);
  return new AppError(
    "usage",
    `There is no command ${name}.${suggestion} See: ${product.name} help`,
  );
}

/** The output of `help` without a command. */
export function overviewText(version: string, listings: readonly CommandListing[]): string {
  const commands = listings.map(({ name, summary }) => [name, summary] as const);
  return [
    `${product.name} ${version}: working tools for AI clients, over the Model Context Protocol.`,
    "",
    `Usage: ${product.name} [COMMAND] [FLAGS]`,
    "",
    "AI clients start it without a command and talk to it over stdin and stdout.",
    "",
    "Commands:",
    ...columns(commands),
    "",
    `Flags of a command: ${product.name} help COMMAND`,
  ].join("\n");
}

/** The output of `help <command>`. */
export function commandText(listing: CommandListing, command: Command): string {
  const usage = [product.name, listing.name, command.usage].filter(Boolean).join(" ");
  const flags = flagRows({ ...command.flags, ...helpFlag });
  const person = command.needsPerson ? ["", needsPersonText] : [];
  return [
    `Usage: ${usage}`,
    "",
    command.description,
    ...person,
    "",
    "Flags:",
    ...columns(flags),
  ].join("\n");
}

const needsPersonText = "A process that a server started may not run this: a person has to.";

/** The output of a group without a command, for instance `config`. */
export function groupText(group: string, listings: readonly CommandListing[]): string {
  const commands = listings
    .filter((listing) => listing.name.startsWith(`${group} `))
    .map(({ name, summary }) => [name, summary] as const);
  return [`Usage: ${product.name} ${group} COMMAND`, "", "Commands:", ...columns(commands)].join(
    "\n",
  );
}

function flagRows(flags: FlagTable): (readonly [string, string])[] {
  return Object.entries(flags).map(([name, spec]) => {
    const value = spec.choices?.join("|") ?? spec.placeholder;
    const written = spec.short === undefined ? `--${name}` : `-${spec.short}, --${name}`;
    return [spec.kind === "switch" ? written : `${written} ${value ?? "VALUE"}`, spec.help];
  });
}
