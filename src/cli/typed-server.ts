import { AppError } from "../base/errors.ts";
import { launchIdentity } from "../upstream/config/entry-launch.ts";
import { loadUpstreamConfig } from "../upstream/config/load-upstream-config.ts";
import { isOwnEntry, isOwnServerName } from "../upstream/config/own-entry.ts";
import { readEntry } from "../upstream/config/read-entry.ts";
import { EntryFault, type EntryOrigin, type ServerEntry } from "../upstream/config/server-entry.ts";
import { configPartsOf } from "../upstream/config/upstream-start.ts";
import type { NewEntry } from "../upstream/edit/server-text.ts";
import { approveLaunchOf } from "../upstream/trust/launch-approval.ts";
import { TrustStore } from "../upstream/trust/trust-store.ts";
import type { CommandIo } from "./command-io.ts";
import type { CommandContext } from "./command.ts";
import type { ServerFile } from "./mcp-scope.ts";
import type { Printer } from "./print.ts";
import { plainSecrets } from "./shown-entry.ts";
import type { StartUp } from "./start-up.ts";

/**
 * The entry that the user has typed, as it will be read.
 * @throws {AppError} `usage` when scorpiox-code cannot use it, or when it would start scorpiox-code itself
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
      `${name} would start scorpiox-code itself, which need not be its own server.`,
    );
  }
  if (isOwnServerName(name, start.config.settings.mcp.serverName)) {
    const message = `Clients know scorpiox-code under the name ${name}: its tools would look like those of scorpiox-code. Choose another name.`;
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

/** An entry that the user typed is approved; one outside a project needs no approval. */
export async function approveTypedServer(
  entry: ServerEntry,
  start: StartUp,
  io: CommandIo,
): Promise<void> {
  const { projectDir, scorpioxDir } = start.dirs;
  if (entry.origin.trust !== "project" || projectDir === undefined) return;
  const identity = launchIdentity(entry.launch);
  // Where it takes the place of an entry of the user's, that is what the user wants.
  const written = loadUpstreamConfig(configPartsOf(start, io.env)).servers.get(entry.name);
  const { standIn } = written?.identity === identity ? written : {};
  const server = { entry, identity, ...(standIn && { standIn }) };
  await approveLaunchOf(server, projectDir, new TrustStore(scorpioxDir));
}

/** Secrets in a file of a project are seen by everybody who has the project (CL4). */
export function warnOfSecrets(
  name: string,
  entry: NewEntry,
  { origin }: ServerFile,
  print: Printer,
): void {
  if (origin.trust !== "project") return;
  for (const secret of plainSecrets(entry)) {
    print.warning(
      `${secret.path} of ${name} looks like a secret, and others can read the project's files. Write \${${secret.name}} instead, which is read from the environment, or use --scope global with \${keyring:${secret.name}}.`,
    );
  }
}
