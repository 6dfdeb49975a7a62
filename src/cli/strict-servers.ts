import { AppError } from "../base/errors.ts";
import { loadUpstreamConfig } from "../upstream/config/load-upstream-config.ts";
import { configPartsOf } from "../upstream/config/upstream-start.ts";
import type { CommandIo } from "./command-io.ts";
import type { ParsedArguments } from "./flags.ts";
import type { Printer } from "./print.ts";
import { readStartUp } from "./start-up.ts";

/**
 * What `--strict-config` wants of other servers: that all of their files can be used. Without it this is told later, by
 * whoever reads them.
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
