import { AppError } from "../base/errors.ts";
import { hidden, isSecretName } from "../base/secrets.ts";
import { canonicalJson, isObject } from "../base/values.ts";
import { launchIdentity } from "../upstream/config/entry-launch.ts";
import { readEntry as readServer } from "../upstream/config/read-entry.ts";
import { EntryFault, type EntryOrigin } from "../upstream/config/server-entry.ts";
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
import { type ChangeLog, type ChangeRecord, digestOf, type MovedServers } from "./change-log.ts";
import { readEntry, readServers } from "./edit/entry-text.ts";
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
  /** The file that they are added to. */
  readonly file: string;
  /** By the name that they get here. */
  readonly servers: ReadonlyMap<string, NewEntry>;
  /** Those that are here already, started in the same way: of another client, or of an earlier move. */
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

/** @throws {AppError} for a file that cannot be read, and errors of the store */
export async function planMove(place: ClientFile, move: MoveTarget): Promise<PlannedMove> {
  const { origin, parts, target, secrets: store } = move;
  const { client, file } = place;
  const raws = (readForeignFile(file, undefined) ?? []).filter(({ name }) => name !== entryName);
  const servers = new Map<string, NewEntry>();
  const shared: string[] = [];
  const secrets = new Map<string, string>();
  const wanted = new Map<string, Entry | undefined>();
  const notes: string[] = [];
  const text = textOf(readClientFile(file));
  const here = entriesIn(target.file);
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
    if (servers.has(step.name) || shared.includes(step.name)) {
      notes.push(`${name} is not moved: another one is named ${step.name} here`);
      continue;
    }
    const own = new Map<string, string>();
    const kept = withSecrets(step.name, step.entry, own);
    const off = client.off === undefined ? undefined : { ...entry, ...client.off };
    if (here.has(step.name)) {
      if (!(await isSameServer(kept, here.get(step.name), own, move))) {
        notes.push(
          `${name} is not moved: ${target.file} has another one of that name. Remove one of them (mcp remove ${step.name}), and try again`,
        );
      } else if (!Bun.deepEquals(entry, off)) {
        shared.push(step.name);
        wanted.set(name, off);
      }
      continue;
    }
    const taken = await takenSecret(own, store);
    if (taken !== undefined) {
      notes.push(
        `${name} is not moved: there already is a secret ${taken}. Remove it (mcp secrets remove ${taken}), and try again`,
      );
      continue;
    }
    notes.push(...step.notes.map((note) => `${name} ${note}`));
    servers.set(step.name, kept);
    for (const [key, value] of own) secrets.set(key, value);
    wanted.set(name, off);
  }
  const ofProjects = projectServers(place, text);
  return { file: target.file, servers, shared, secrets, wanted, notes, ofProjects };
}

/**
 * Here they would be in a file of the project, which others share and the user has to approve, or in every project: neither is
 * what the client has.
 */
function projectServers({ client, file }: ClientFile, text: string): readonly string[] {
  const { projectsKey } = client;
  if (projectsKey === undefined) return [];
  const projects = readServers(file, text, { kind: "map", path: [projectsKey] });
  return Object.entries(isObject(projects) ? projects : {}).flatMap(([folder, settings]) => {
    const servers = isObject(settings) ? settings["mcpServers"] : undefined;
    const names = Object.keys(isObject(servers) ? servers : {});
    return names.length === 0 ? [] : [`${names.join(", ")} of ${folder}`];
  });
}

/** A secret that the user, or a server of that name, has already. */
async function takenSecret(
  secrets: ReadonlyMap<string, string>,
  store: WritableSecretStore,
): Promise<string | undefined> {
  for (const name of secrets.keys()) if ((await store.get(name)) !== undefined) return name;
  return undefined;
}

/** Whether both start the same program, or reach the same address, with the same secrets. Limits and rights may differ. */
async function isSameServer(
  entry: NewEntry,
  there: unknown,
  secrets: ReadonlyMap<string, string>,
  { origin, secrets: store }: MoveTarget,
): Promise<boolean> {
  const identityOf = (value: unknown): string | undefined => {
    try {
      return launchIdentity(readServer({ name: "x", value }, origin, { warn: () => {} }).launch);
    } catch (error) {
      if (error instanceof EntryFault) return undefined;
      throw error;
    }
  };
  if (identityOf(entry) !== identityOf(there)) return false;
  for (const [name, value] of secrets) if ((await store.get(name)) !== value) return false;
  return true;
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

/** What the log keeps of the move; undefined when it takes nothing. */
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

function entriesIn(file: string): ReadonlyMap<string, unknown> {
  return serverTextOf(file).entries(textOf(readClientFile(file)));
}

/** By server. */
function digestsOf(entries: ReadonlyMap<string, unknown>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...entries].map(([name, entry]) => [name, digestOf(Buffer.from(canonicalJson(entry)))]),
  );
}
