import { AppError } from "../base/errors.ts";
import { hidden, isSecretName } from "../base/secrets.ts";
import { canonicalJson, isObject } from "../base/values.ts";
import type { EntryOrigin } from "../upstream/config/server-entry.ts";
import type { UpstreamConfigParts } from "../upstream/config/upstream-start.ts";
import {
  addServers,
  removeServer,
  type ServerFileTarget,
} from "../upstream/edit/edit-server-file.ts";
import { type NewEntry, serverTextOf } from "../upstream/edit/server-text.ts";
import { planImport } from "../upstream/import/plan-import.ts";
import { readForeignFile } from "../upstream/import/read-foreign-file.ts";
import {
  isOfUser,
  type SecretPlace,
  type WritableSecretStore,
} from "../upstream/secrets/secret-store.ts";
import { digestOf, type MovedServers } from "./change-log.ts";
import { readEntry } from "./edit/entry-text.ts";
import { readClientFile, textOf, type WantedEntries } from "./file-change.ts";
import type { ClientFile } from "./find-client.ts";
import { type Entry, entryName } from "./install-targets.ts";

/** Where the servers of clients are moved to. */
export interface MoveTarget {
  readonly target: ServerFileTarget;
  readonly origin: EntryOrigin;
  readonly parts: UpstreamConfigParts;
  readonly secrets: WritableSecretStore;
}

/** The servers of one client that are to become the user's own here. */
export interface PlannedMove {
  /** By the name that they get here. */
  readonly servers: ReadonlyMap<string, NewEntry>;
  /** Values that become secrets, by their names. */
  readonly secrets: ReadonlyMap<string, string>;
  /** The client's entries afterwards: switched off, or removed. */
  readonly wanted: WantedEntries;
  /** Remarks for the user; each completes "server ". */
  readonly notes: readonly string[];
}

/** @throws {AppError} for a file that cannot be read */
export function planMove(place: ClientFile, { origin, parts }: MoveTarget): PlannedMove {
  const { client, file } = place;
  const raws = (readForeignFile(file, undefined) ?? []).filter(({ name }) => name !== entryName);
  const servers = new Map<string, NewEntry>();
  const secrets = new Map<string, string>();
  const wanted = new Map<string, Entry | undefined>();
  const notes: string[] = [];
  const text = textOf(readClientFile(file));
  for (const raw of raws) {
    const [step] = planImport([raw], client.client.dialect ?? {}, origin, parts);
    if (step?.kind !== "take") {
      notes.push(
        `${step?.name ?? "without a name"} is not moved: it ${step?.reason ?? "has no settings"}`,
      );
      continue;
    }
    const name = String(raw.name);
    const entry = readEntry(file, text, client.home, name);
    if (entry === undefined) {
      notes.push(`${name} is not moved: it is below a key that ${client.title} does not read`);
      continue;
    }
    if (servers.has(step.name)) {
      notes.push(`${name} is not moved: another one is named ${step.name} here`);
      continue;
    }
    notes.push(...step.notes.map((note) => `${name} ${note}`));
    servers.set(step.name, withSecrets(step.name, step.entry, secrets));
    wanted.set(name, client.off === undefined ? undefined : { ...entry, ...client.off });
  }
  return { servers, secrets, wanted, notes };
}

/** The entry with a reference in place of each value whose name says that it is a secret. */
function withSecrets(server: string, entry: NewEntry, secrets: Map<string, string>): NewEntry {
  const kept = (table: unknown): unknown => {
    if (!isObject(table)) return table;
    return Object.fromEntries(
      Object.entries(table).map(([key, value]) => {
        const isSecret = typeof value === "string" && isSecretName(key) && !value.includes("${");
        const name = `${server}/${key}`;
        if (!isSecret || value === "" || value === hidden || !isOfUser(name)) return [key, value];
        secrets.set(name, value);
        return [key, `\${keyring:${name}}`];
      }),
    );
  };
  const { env, headers } = entry;
  return {
    ...entry,
    ...(env !== undefined && { env: kept(env) }),
    ...(headers !== undefined && { headers: kept(headers) }),
  };
}

/**
 * Adds the servers and their secrets on this side, before the client's file is changed: a server is at no time in neither.
 * @throws {AppError} `config` when a server or a secret of that name is there already, and errors of the store; nothing is
 * changed then
 */
export async function takeServers(
  { servers, secrets }: PlannedMove,
  { target, secrets: store }: MoveTarget,
  onPlace: (place: SecretPlace) => void,
): Promise<MovedServers> {
  for (const name of secrets.keys()) {
    if ((await store.get(name)) === undefined) continue;
    throw new AppError(
      "config",
      `There already is a secret ${name}: remove it (mcp secrets remove), or the server's in the client, and try again. Nothing was moved.`,
    );
  }
  const { added, kept } = await addServers(target, servers, false);
  const digests = digestsIn(target.file);
  const moved = { file: target.file, servers: added, secrets: [...secrets.keys()], digests };
  if (kept.length > 0) {
    await giveBack({ ...moved, secrets: [] }, target, store);
    const names = kept.join(", ");
    throw new AppError(
      "config",
      `${target.file} already has ${names}: remove it there, or in the client, and try again. Nothing was moved.`,
    );
  }
  const stored: string[] = [];
  try {
    for (const [name, value] of secrets) {
      onPlace(await store.set(name, value));
      stored.push(name);
    }
  } catch (error) {
    await giveBack({ ...moved, secrets: stored }, target, store);
    throw error;
  }
  return moved;
}

/** Removes servers that were moved here, and their secrets. Returns those that the user has changed since, which stay. */
export async function giveBack(
  { file, servers, secrets, digests = {} }: MovedServers,
  target: ServerFileTarget,
  store: WritableSecretStore,
): Promise<readonly string[]> {
  const now = digestsIn(file);
  const changed = servers.filter((name) => {
    const [then, digest] = [digests[name], now[name]];
    return then !== undefined && digest !== undefined && then !== digest;
  });
  for (const name of servers) {
    if (!changed.includes(name)) await removeServer({ ...target, file }, name);
  }
  for (const name of secrets) {
    if (!changed.some((server) => name.startsWith(`${server}/`))) await store.remove(name);
  }
  return changed;
}

/** By server. */
function digestsIn(file: string): Readonly<Record<string, string>> {
  const entries = serverTextOf(file).entries(textOf(readClientFile(file)));
  return Object.fromEntries(
    [...entries].map(([name, entry]) => [name, digestOf(Buffer.from(canonicalJson(entry)))]),
  );
}
