import { AppError, type AppErrorCode, messageOf } from "../../base/errors.ts";
import { product } from "../../base/product.ts";
import { suggestionFor } from "../../config/nearest-name.ts";
import { type CommandIo, exitCodes } from "../command-io.ts";
import type { CliServices, Command, CommandListing } from "../command.ts";
import { helpFlag, parseArguments } from "../flags.ts";
import { Printer } from "../print.ts";
import { commandText, groupText, overviewText } from "./help-text.ts";
import { commandGroups, commandListings, defaultCommandName, findCommand } from "./registry.ts";

/**
 * Runs the command that `argv` (without the program's own name) asks for and resolves with the exit
 * code. Never rejects: an error is one message on stderr.
 */
export async function runCommandLine(
  argv: readonly string[],
  io: CommandIo,
  services: CliServices,
): Promise<number> {
  const print = new Printer(io);
  try {
    const exitCode = await dispatch(argv, io, services, print);
    return io.wasInterrupted ? exitCodes.interrupted : exitCode;
  } catch (error) {
    print.error(messageOf(error));
    if (io.wasInterrupted) return exitCodes.interrupted;
    if (!(error instanceof AppError)) return exitCodes.failed;
    return exitCodeOf(error.code);
  }
}

/** For commands that take a whole command line, of which the dashes are easily forgotten. */
const foreignFlagHint = " If it belongs to the command, put -- before the command.";

async function dispatch(
  argv: readonly string[],
  io: CommandIo,
  services: CliServices,
  print: Printer,
): Promise<number> {
  const isNamed = isCommandNamed(argv);
  const words = isNamed ? argv : withCommand(argv);
  const listing = findCommand(words);
  if (listing === undefined) return explainUnknown(words, print);
  const command = await listing.load();
  const rest = words.slice(listing.name.split(" ").length);
  const explainedBy = `${product.name} help ${listing.name}`;
  const hint = command.usage.includes(" -- ") ? foreignFlagHint : "";
  const { beginsCommand } = command;
  const args = parseArguments(
    rest,
    { ...command.flags, ...helpFlag },
    { explainedBy, hint, ...(beginsCommand && { beginsCommand }) },
  );
  if (args.has("help") && isNamed) {
    print.line(commandText(listing, command));
    return exitCodes.done;
  }
  // A person typed the name to see what it is: a server would wait for a client in silence.
  if (args.has("help") || (listing.name === defaultCommandName && !isNamed && io.stdinIsTerminal)) {
    print.line(overviewText(services.version, commandListings));
    return exitCodes.done;
  }
  checkCount(listing, command, args.positionals);
  if (command.needsPerson === true) await assertPerson(listing.name, io);
  if (args.has("strict-config")) {
    const { checkServers } = await import("../strict-servers.ts");
    checkServers(args, io, print);
  }
  return command.run({ args, io, print, services });
}

function isCommandNamed(argv: readonly string[]): boolean {
  return argv[0] !== undefined && !argv[0].startsWith("-");
}

/** `argv` with a command in front. */
function withCommand(argv: readonly string[]): readonly string[] {
  const isVersion = argv[0] === "--version" || argv[0] === "-V";
  return isVersion ? ["version", ...argv.slice(1)] : [defaultCommandName, ...argv];
}

function explainUnknown(words: readonly string[], print: Printer): number {
  const [first = "", second] = words;
  const names = commandListings.map((listing) => listing.name);
  if (!commandGroups().has(first)) {
    const candidates = [...names, ...commandGroups()];
    throw unknownCommand(first, candidates);
  }
  if (second === "--help" || second === "-h") {
    print.line(groupText(first, commandListings));
    return exitCodes.done;
  }
  if (second === undefined || second.startsWith("-")) {
    const inGroup = names.filter((known) => known.startsWith(`${first} `)).join(", ");
    throw new AppError("usage", `${first} is incomplete. Commands: ${inGroup}`);
  }
  const name = `${first} ${second}`;
  throw unknownCommand(name, names);
}

function unknownCommand(name: string, candidates: readonly string[]): AppError {
  const suggestion = suggestionFor(name, candidates);
  return new AppError(
    "usage",
    `There is no command ${name}.${suggestion} See: ${product.name} help`,
  );
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

function exitCodeOf(code: AppErrorCode): number {
  if (code === "usage") return exitCodes.usage;
  // Ctrl-C was a key there, and no signal.
  if (code === "cancelled") return exitCodes.interrupted;
  return code === "not_found" ? exitCodes.notFound : exitCodes.failed;
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
