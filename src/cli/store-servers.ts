import { AppError } from "../base/errors.ts";
import { product } from "../base/product.ts";
import { EntryFault } from "../upstream/config/entry-fault.ts";
import { launchIdentity } from "../upstream/config/launch-identity.ts";
import { loadUpstreamConfig } from "../upstream/config/load-upstream-config.ts";
import { isOwnEntry, isOwnServerName } from "../upstream/config/own-entry.ts";
import { readEntry } from "../upstream/config/read-entry.ts";
import { configPartsOf } from "../upstream/config/upstream-start.ts";
import { addServers } from "../upstream/edit/edit-server-file.ts";
import type { NewEntry } from "../upstream/edit/server-text.ts";
import type { EntryOrigin, ServerEntry } from "../upstream/config/server-entry.ts";
import { approveLaunchOf } from "../upstream/trust/launch-approval.ts";
import { TrustStore } from "../upstream/trust/trust-store.ts";
import { type CommandIo, exitCodes } from "./command-io.ts";
import type { CommandContext } from "./command.ts";
import type { FlagTable } from "./flags.ts";
import { installFlags, installServers } from "./install-servers.ts";
import { jsonFlag } from "./json-flag.ts";
import { scopeFlags, type ServerFile, serverFileOf } from "./mcp-scope.ts";
import type { Printer } from "./print.ts";
import { entryLines, plainSecrets, shownEntry } from "./shown-entry.ts";
import type { StartUp } from "./start-up.ts";

/** Flags of commands that write one server. */
export const storeFlags: FlagTable = {
  ...scopeFlags,
  force: { kind: "switch", help: "Replace a server of this name in the file." },
  ...jsonFlag,
  ...installFlags,
};

/**
 * Writes one server that the user has typed, approves its launch, prints what is stored, and fetches its package.
 * @throws {AppError} `usage` for an entry that cannot be used or a name that is taken; as `addServers`
 */
export async function storeServer(
  context: CommandContext,
  start: StartUp,
  name: string,
  entry: NewEntry,
): Promise<number> {
  const { args, io, print } = context;
  const place = serverFileOf(args, start.dirs, io.cwd);
  const checked = checkEntry(name, entry, place.origin, print);
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
  const { file } = place.target;
  const { kept } = await addServers(place.target, new Map([[name, entry]]), args.has("force"));
  if (kept.length > 0) {
    const message = `There is a server ${name} in ${file} already. Replace it with --force, or choose another name.`;
    throw new AppError("usage", message);
  }
  await approve(checked, start, io);
  report(args.has("json"), print, place, name, entry);
  const identity = launchIdentity(checked.launch);
  await installServers(context, start, [{ entry: checked, identity, shadowed: [] }]);
  if (!args.has("json")) print.note(`Test it: ${product.name} mcp test ${name}`);
  return exitCodes.done;
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

/** An entry that the user typed is approved; one outside a project needs no approval. */
async function approve(entry: ServerEntry, start: StartUp, io: CommandIo): Promise<void> {
  const { projectDir, scorpioxDir } = start.dirs;
  if (entry.origin.trust !== "project" || projectDir === undefined) return;
  const identity = launchIdentity(entry.launch);
  // Where it takes the place of an entry of the user's, that is what the user wants.
  const written = loadUpstreamConfig(configPartsOf(start, io.env)).servers.get(entry.name);
  const { standIn } = written?.identity === identity ? written : {};
  const server = { entry, identity, ...(standIn && { standIn }) };
  await approveLaunchOf(server, projectDir, new TrustStore(scorpioxDir));
}

function report(
  asJson: boolean,
  print: Printer,
  place: ServerFile,
  name: string,
  entry: NewEntry,
): void {
  const { file } = place.target;
  if (asJson) {
    print.json({ name, scope: place.origin.scope, file, entry: shownEntry(entry) });
  } else {
    for (const line of entryLines(name, entry)) print.line(line);
    print.note(`${name} is in ${file}`);
  }
  warnOfSecrets(name, entry, place, print);
}
