import { AppError } from "../base/errors.ts";
import { EntryFault } from "../upstream/config/entry-fault.ts";
import { isOwnEntry, isOwnServerName } from "../upstream/config/own-entry.ts";
import { readEntry } from "../upstream/config/read-entry.ts";
import type { EntryOrigin, ServerEntry } from "../upstream/config/server-entry.ts";
import { configPartsOf } from "../upstream/config/upstream-start.ts";
import type { NewEntry } from "../upstream/edit/server-text.ts";
import type { CommandContext } from "./command.ts";
import type { Printer } from "./print.ts";
import type { StartUp } from "./start-up.ts";

/**
 * The entry that the user has typed, as it will be read.
 * @throws {AppError} `usage` when it could not be used, or would be this program itself
 */
export function checkTypedServer(
  { io, print }: Pick<CommandContext, "io" | "print">,
  start: StartUp,
  name: string,
  entry: NewEntry,
  origin: EntryOrigin,
): ServerEntry {
  const checked = checkEntry(name, entry, origin, print);
  if (isOwnEntry(checked.launch, configPartsOf(start, io.env))) {
    throw new AppError(
      "usage",
      `${name} would be this program itself, which needs no server for that.`,
    );
  }
  if (isOwnServerName(name, start.config.settings.mcp.serverName)) {
    const message = `Clients have this program under the name ${name}: its tools would pass for ours. Choose another one.`;
    throw new AppError("usage", message);
  }
  return checked;
}

/** The entry as it will be read. @throws {AppError} `usage` when it could not be used */
function checkEntry(
  name: string,
  entry: NewEntry,
  origin: EntryOrigin,
  print: Pick<Printer, "warning">,
): ServerEntry {
  try {
    return readEntry({ name, value: entry }, origin, {
      warn: (text) => print.warning(`server ${JSON.stringify(name)}: ${text}`),
    });
  } catch (error) {
    if (!(error instanceof EntryFault)) throw error;
    throw new AppError("usage", `The server ${JSON.stringify(name)} ${error.message}.`, {
      cause: error,
    });
  }
}
