import { routeConsoleToStderr } from "../base/console.ts";
import { messageOf } from "../base/errors.ts";
import { escapeUnsafe } from "../base/unsafe-characters.ts";
import { createProcessIo } from "../cli/process-io.ts";
import { runCommandLine } from "../cli/run/run.ts";
import { createCliServices } from "./cli-services.ts";
import { runInnerProgram } from "./inner-programs.ts";
import type { ProgramParts } from "./program-parts.ts";

/** The whole program: runs the command line and ends the process with its exit code. */
export async function runProgram(parts: ProgramParts): Promise<never> {
  routeConsoleToStderr();
  await runInnerProgram(process.argv.slice(2));
  const startedByServer = async (): Promise<string | undefined> =>
    (await import("./started-by-server.ts")).startedByServer(process.env);
  const io = createProcessIo({ ...parts, startedByServer });
  const { env, cwd } = io;
  // What a library or a tool threw may have text of a page in it.
  const warn = (message: string): void =>
    io.stderr.write(`scorpiox-code: ${escapeUnsafe(message)}\n`);
  surviveMistakes(warn);
  if (env["NODE_TLS_REJECT_UNAUTHORIZED"] === "0") warn(uncheckedWarning);
  const print = (line: string): void => io.stdout.write(`${line}\n`);
  const services = createCliServices({ program: parts, env, warn, cwd, print });
  process.exit(await runCommandLine(process.argv.slice(2), io, services));
}

/** Only whoever starts the program can say so, and what is then lost is not seen anywhere else. */
const uncheckedWarning =
  "NODE_TLS_REJECT_UNAUTHORIZED=0 is in the environment: no certificate is checked, so who is on the way can read and " +
  "change pages, other MCP servers and logins. Take it out. An authority of your own is trusted by NODE_EXTRA_CA_CERTS.";

/** A mistake in one call must not end the others: it is reported, and the server goes on. */
function surviveMistakes(warn: (message: string) => void): void {
  const report = (error: unknown): void => warn(`internal error: ${messageOf(error)}`);
  process.on("uncaughtException", report);
  process.on("unhandledRejection", report);
}
