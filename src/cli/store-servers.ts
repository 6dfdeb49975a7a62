import { formatDuration } from "../base/cut-text.ts";
import { AppError } from "../base/errors.ts";
import { product } from "../base/product.ts";
import { launchIdentity } from "../upstream/config/entry-launch.ts";
import type { ConfiguredServer } from "../upstream/config/server-entry.ts";
import { addServers } from "../upstream/edit/edit-server-file.ts";
import type { NewEntry } from "../upstream/edit/server-text.ts";
import { readRunner, type RunnerCommand } from "../upstream/install/runner-command.ts";
import { exitCodes, type Printer } from "./command-io.ts";
import type { CommandContext } from "./command.ts";
import { type FlagTable, jsonFlag } from "./flags.ts";
import {
  approveTypedServer,
  checkTypedServer,
  entryLines,
  scopeFlags,
  type ServerFile,
  serverFileOf,
  shownEntry,
  warnOfSecrets,
} from "./typed-server.ts";
import { ServerProgress, withProgress } from "./progress.ts";
import { shareableServer, sharingAdvice } from "./shareable-servers.ts";
import type { StartUp } from "./start-up.ts";
import { readable } from "./state-words.ts";

/** For commands after which a server may be started. */
export const installFlags: FlagTable = {
  "no-install": {
    kind: "switch",
    help: "Fetch its package (npx, uvx, docker, …) at its first start instead of now.",
  },
};

/** The package that its runner would fetch; undefined for a server without one. */
export function runnerOf({ entry: { launch } }: ConfiguredServer): RunnerCommand | undefined {
  return launch.transport === "stdio" ? readRunner(launch.command, launch.args) : undefined;
}

/**
 * Fetches the packages of servers that may be started, so that the first start need not wait for that. A failed fetch is a
 * warning: the stored or approved entry stays.
 * @throws AppError `cancelled`
 */
export async function installServers(
  context: CommandContext,
  start: StartUp,
  servers: readonly ConfiguredServer[],
): Promise<void> {
  const { args, io, print, services } = context;
  const wanted = servers.flatMap((server) => {
    const runner = runnerOf(server);
    return runner === undefined ? [] : [{ server, runner }];
  });
  if (wanted.length === 0 || args.has("no-install")) return;
  const begin = performance.now();
  const all = wanted.map(({ server }) => server);
  const names = wanted.map(({ server }) => server.entry.name);
  const progress = new ServerProgress("Fetching the packages of", names);
  for (const { server, runner: found } of wanted) {
    const { name } = server.entry;
    const { runner } = found;
    const what = found.packages.join(" ");
    progress.onInstalling(name, { what, runner, since: Date.now() });
    // A terminal gets the progress.
    if (!io.stderr.isTerminal) print.note(`${name}: fetching ${what} with ${runner} …`);
  }
  const outcomes = await withProgress(context, progress.text, () =>
    services.installUpstreams(start, all, io.interrupted, progress),
  );
  for (const [name, outcome] of outcomes) {
    if (outcome.kind === "failed") {
      print.warning(`${name}: ${readable(outcome.reason)}`);
      continue;
    }
    const took = formatDuration(Math.round(performance.now() - begin));
    print.done(`${name}: ${outcome.isNew ? `installed in ${took}` : "it was already installed"}.`);
    if (outcome.startedAs !== undefined) print.note(`  It is started as ${outcome.startedAs}`);
  }
}

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
  if (args.has("json")) return exitCodes.done;
  const shareable = shareableServer(checked);
  if (shareable !== undefined && start.config.settings.hub.mode !== "off") {
    const { text, remedy } = sharingAdvice(shareable);
    print.note(`${text}. If you like: ${remedy}.`);
  }
  print.note(`Test it: ${product.name} mcp test ${name}`);
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
    print.done(`${name} is in ${file}`);
  }
  warnOfSecrets(name, entry, place, print);
}
