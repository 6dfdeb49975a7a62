import { AppError, type AppErrorCode, messageOf } from "../../base/errors.ts";
import { type CommandIo, exitCodes, ParsedArguments, Printer } from "../command-io.ts";
import type { CliServices } from "../command.ts";
import { startServing } from "../start-up.ts";

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
    const exitCode = await runCommand(argv, io, services, print);
    return io.wasInterrupted ? exitCodes.interrupted : exitCode;
  } catch (error) {
    print.error(messageOf(error));
    if (io.wasInterrupted) return exitCodes.interrupted;
    if (!(error instanceof AppError)) return exitCodes.failed;
    return exitCodeOf(error.code);
  }
}

/** Clients start the program without a word, and wait: that loads neither commands nor flags. */
async function runCommand(
  argv: readonly string[],
  io: CommandIo,
  services: CliServices,
  print: Printer,
): Promise<number> {
  if (argv.length === 0 && !io.stdinIsTerminal) {
    return services.serveStdio(startServing(new ParsedArguments(new Map(), []), io, print));
  }
  const { dispatch } = await import("./dispatch.ts");
  return dispatch(argv, io, services, print);
}

function exitCodeOf(code: AppErrorCode): number {
  if (code === "usage") return exitCodes.usage;
  // Ctrl-C was a key there, and no signal.
  if (code === "cancelled") return exitCodes.interrupted;
  return code === "not_found" ? exitCodes.notFound : exitCodes.failed;
}
