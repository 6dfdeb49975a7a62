import { AppError } from "../base/errors.ts";
import { product } from "../base/product.ts";
import { launchIdentity } from "../upstream/config/launch-identity.ts";
import { addServers } from "../upstream/edit/edit-server-file.ts";
import type { NewEntry } from "../upstream/edit/server-text.ts";
import { exitCodes } from "./command-io.ts";
import type { CommandContext } from "./command.ts";
import type { FlagTable } from "./flags.ts";
import { installFlags, installServers } from "./install-servers.ts";
import { jsonFlag } from "./json-flag.ts";
import { scopeFlags, type ServerFile, serverFileOf } from "./mcp-scope.ts";
import type { Printer } from "./print.ts";
import { entryLines, shownEntry } from "./shown-entry.ts";
import type { StartUp } from "./start-up.ts";
import { approveTypedServer, checkTypedServer, warnOfSecrets } from "./typed-server.ts";

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
  const checked = checkTypedServer(context, start, name, entry, place.origin);
  const { file } = place.target;
  const { kept } = await addServers(place.target, new Map([[name, entry]]), args.has("force"));
  if (kept.length > 0) {
    const message = `There is a server ${name} in ${file} already. Replace it with --force, or choose another name.`;
    throw new AppError("usage", message);
  }
  await approveTypedServer(checked, start, io);
  report(args.has("json"), print, place, name, entry);
  const identity = launchIdentity(checked.launch);
  await installServers(context, start, [{ entry: checked, identity, shadowed: [] }]);
  if (!args.has("json")) print.note(`Test it: ${product.name} mcp test ${name}`);
  return exitCodes.done;
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
