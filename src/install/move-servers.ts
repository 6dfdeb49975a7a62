import { AppError } from "../base/errors.ts";
import { canonicalJson } from "../base/values.ts";
import type { EntryOrigin } from "../upstream/config/server-entry.ts";
import type { UpstreamConfigParts } from "../upstream/config/upstream-start.ts";
import {
  addServers,
  removeServer,
  type ServerFileTarget,
} from "../upstream/edit/edit-server-file.ts";
import { type NewEntry, serverTextOf } from "../upstream/edit/server-text.ts";
import type { SecretPlace, WritableSecretStore } from "../upstream/secrets/secret-store.ts";
import { type ChangeLog, type ChangeRecord, digestOf, type MovedServers } from "./change-log.ts";
import { readClientFile, textOf, type WantedEntries } from "./file-change.ts";

/** Where the servers of clients are moved to. */
export interface MoveTarget {
  readonly target: ServerFileTarget;
  readonly origin: EntryOrigin;
  readonly parts: UpstreamConfigParts;
  readonly secrets: WritableSecretStore;
}

/** The servers of one client that are to become the user's own here. */
export interface PlannedMove {
  /** The file that they are added to. */
  readonly file: string;
  /** The new entries, by the names that they get here. */
  readonly servers: ReadonlyMap<string, NewEntry>;
  /** Names of servers that are here already, started in the same way: of another client, or of an earlier move. */
  readonly shared: readonly string[];
  /** Values that become secrets, by their names. */
  readonly secrets: ReadonlyMap<string, string>;
  /** The client's entries afterwards: switched off, or removed. */
  readonly wanted: WantedEntries;
  /** Remarks for the user; each completes "server ". */
  readonly notes: readonly string[];
  /** Servers of single projects, which stay in the client: `NAME, … of FOLDER`. */
  readonly ofProjects: readonly string[];
}

/** The move as the log keeps it; undefined when it takes nothing. */
export function movedBy({ file, servers, shared, secrets }: PlannedMove): MovedServers | undefined {
  if (servers.size === 0 && shared.length === 0) return undefined;
  const digests = digestsOf(servers);
  return { file, servers: [...servers.keys()], secrets: [...secrets.keys()], digests, shared };
}

/**
 * Adds the servers and their secrets on this side, before the client's file is changed: a server is at no time in neither.
 * @throws {AppError} `config` when one of them is there since it was looked at, and errors of the store; `giveBack` then takes
 * back what was added
 */
export async function takeServers(
  { servers, secrets }: PlannedMove,
  { target, secrets: store }: MoveTarget,
  onPlace: (place: SecretPlace) => void,
): Promise<void> {
  if (servers.size === 0) return;
  const taken = await takenSecret(secrets, store);
  const there = entriesIn(target.file);
  const known = taken ?? [...servers.keys()].find((name) => there.has(name));
  if (known !== undefined) {
    throw new AppError(
      "config",
      `${known} was added here meanwhile; nothing was moved. Try again.`,
    );
  }
  await addServers(target, servers, false);
  for (const [name, value] of secrets) onPlace(await store.set(name, value));
}

/** A secret that the user, or a server of that name, has already. */
export async function takenSecret(
  secrets: ReadonlyMap<string, string>,
  store: WritableSecretStore,
): Promise<string | undefined> {
  for (const name of secrets.keys()) if ((await store.get(name)) !== undefined) return name;
  return undefined;
}

/**
 * Removes the servers that a change has moved here, and their secrets. Those that the user has changed since stay, and so do those
 * that another client has by way of this file, too: they are that client's move from now on. Returns what stays, in sentences.
 */
export async function giveBack(
  record: ChangeRecord,
  { target, secrets: store }: MoveTarget,
  log: ChangeLog,
): Promise<readonly string[]> {
  const { moved } = record;
  if (moved === undefined) return [];
  const { file, digests = {} } = moved;
  const now = digestsOf(entriesIn(file));
  const stays: string[] = [];
  for (const name of moved.servers) {
    const secrets = moved.secrets.filter((secret) => secret.startsWith(`${name}/`));
    const [then, digest] = [digests[name], now[name]];
    const heir = log
      .records()
      .find(({ id, moved: own }) => id !== record.id && own?.shared?.includes(name) === true);
    if (then !== undefined && digest !== undefined && then !== digest) {
      stays.push(`${name} was changed in ${file} since, and stays there too.`);
    } else if (heir?.moved !== undefined && heir.moved.file === file) {
      log.update({ ...heir, moved: inherited(heir.moved, name, then, secrets) });
      stays.push(`${name} stays in ${file}: ${heir.client} has it from there, too.`);
    } else {
      await removeServer({ ...target, file }, name);
      for (const secret of secrets) await store.remove(secret);
    }
  }
  return stays;
}

function inherited(
  { shared = [], servers, secrets, digests, ...rest }: MovedServers,
  name: string,
  digest: string | undefined,
  its: readonly string[],
): MovedServers {
  return {
    ...rest,
    servers: [...servers, name],
    secrets: [...secrets, ...its],
    digests: { ...digests, ...(digest !== undefined && { [name]: digest }) },
    shared: shared.filter((one) => one !== name),
  };
}

/** The servers that are here, by name. @throws {AppError} `config` for a file that cannot be read */
export function entriesIn(file: string): ReadonlyMap<string, unknown> {
  return serverTextOf(file).entries(textOf(readClientFile(file)));
}

/** By server. */
function digestsOf(entries: ReadonlyMap<string, unknown>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...entries].map(([name, entry]) => [name, digestOf(Buffer.from(canonicalJson(entry)))]),
  );
}
