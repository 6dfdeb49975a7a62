import { AppError } from "../../base/errors.ts";
import { product } from "../../base/product.ts";
import { type CommandIo, exitCodes, type Printer } from "../command-io.ts";
import type { CliServices, Command, CommandListing } from "../command.ts";
import { serveListing } from "../commands/serve.ts";
import { everyFlag, parseArguments } from "../flags.ts";

/** For commands that take a whole command line, of which the dashes are easily forgotten. */
const foreignFlagHint = " If it belongs to the command, put -- before the command.";

/**
 * Runs the command that the words begin with, or `serve` for flags alone, which needs no list of commands.
 * @throws AppError `usage` for a command, a flag or an argument that does not exist
 */
export async function dispatch(
  argv: readonly string[],
  io: CommandIo,
  services: CliServices,
  print: Printer,
): Promise<number> {
  const isNamed = isCommandNamed(argv);
  const words = isNamed ? argv : withCommand(argv);
  const listing = words[0] === serveListing.name ? serveListing : await findListing(words);
  if (listing === undefined) {
    const [{ groupHelp, helpWidth }, { knownCommands }] = await Promise.all([
      import("./help.ts"),
      import("./registry.ts"),
    ]);
    print.page(groupHelp(words, knownCommands, helpWidth(io)));
    return exitCodes.done;
  }
  const command = await listing.load();
  const rest = words.slice(listing.name.split(" ").length);
  const explainedBy = `${product.name} help ${listing.name}`;
  const hint = command.usage.includes(" -- ") ? foreignFlagHint : "";
  const { beginsCommand } = command;
  const args = parseArguments(
    rest,
    { ...command.flags, ...everyFlag },
    { explainedBy, hint, ...(beginsCommand && { beginsCommand }) },
  );
  // A person typed the name to see what it is: a server would wait for a client in silence.
  const isPerson = listing === serveListing && !isNamed && io.stdinIsTerminal;
  if (args.has("help") || isPerson) {
    print.page(await textOf(isNamed ? listing : undefined, services.version, io));
    return exitCodes.done;
  }
  checkCount(listing, command, args.positionals);
  if (command.needsPerson) await assertPerson(listing.name, io);
  if (args.has("strict-config")) {
    const { checkServers } = await import("../configured-servers.ts");
    checkServers(args, io, print);
  }
  if (!args.has("verbose")) return command.run({ args, io, print, services });
  const { runVerbosely } = await import("../verbose.ts");
  return runVerbosely(command, { args, io, print, services });
}

function isCommandNamed(argv: readonly string[]): boolean {
  return argv[0] !== undefined && !argv[0].startsWith("-");
}

/** `argv` with a command in front. */
function withCommand(argv: readonly string[]): readonly string[] {
  const isVersion = argv[0] === "--version" || argv[0] === "-V";
  return isVersion ? ["version", ...argv.slice(1)] : [serveListing.name, ...argv];
}

async function findListing(words: readonly string[]): Promise<CommandListing | undefined> {
  const { findCommand } = await import("./registry.ts");
  return findCommand(words);
}

/** The help for one command; without one, for all. */
async function textOf(
  listing: CommandListing | undefined,
  version: string,
  io: CommandIo,
): Promise<string> {
  const { commandText, helpWidth, overviewText } = await import("./help.ts");
  const width = helpWidth(io);
  if (listing !== undefined) return commandText(listing, await listing.load(), width);
  const { commandListings } = await import("./registry.ts");
  return overviewText(version, commandListings, width);
}

function checkCount(
  listing: CommandListing,
  command: Command,
  positionals: readonly string[],
): void {
  const usage = `Usage: ${product.name} ${listing.name} ${command.usage}`;
  if (positionals.length < command.arguments.min) {
    throw new AppError("usage", `${listing.name}: an argument is missing. ${usage}`);
  }
  const surplus = positionals[command.arguments.max];
  if (surplus !== undefined) {
    throw new AppError("usage", `${listing.name}: ${surplus} is one argument too many. ${usage}`);
  }
}

/**
 * For commands that decide the servers' permissions: a process of a server may not decide its own.
 * @throws AppError `refused` when a scorpiox-code server started this process
 */
async function assertPerson(commandName: string, io: CommandIo): Promise<void> {
  const sign = await io.startedByServer?.();
  if (sign === undefined) return;
  throw new AppError(
    "refused",
    `${commandName} was not run: it decides what ${product.name} may do, and a server of ${product.name} started this (${sign}). A person has to run it in a terminal of their own.`,
  );
}
