import { AppError } from "../base/errors.ts";
import { loadUpstreamConfig } from "../upstream/config/load-upstream-config.ts";
import { configPartsOf } from "../upstream/config/upstream-start.ts";
import type { CommandIo } from "./command-io.ts";
import type { ParsedArguments } from "./parsed-arguments.ts";
import type { Printer } from "./print.ts";
import { readStartUp } from "./start-up.ts";

/**
 * Checks for `--strict-config` that all files of MCP servers can be used. Without it their readers report problems later.
 * @throws {AppError} `usage` when something is wrong
 */
export function checkServers(args: ParsedArguments, io: CommandIo, print: Printer): void {
  const { problems } = loadUpstreamConfig(configPartsOf(readStartUp(args, io), io.env));
  for (const problem of problems) print.warning(problem);
  if (problems.length === 0) return;
  throw new AppError(
    "usage",
    `Not started: --strict-config, and ${problems.length} problem(s) with MCP servers.`,
  );
}
