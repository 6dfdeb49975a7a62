import { hidden, isSecretName } from "../base/secrets.ts";
import { isObject } from "../base/values.ts";
import { launchIdentity } from "../upstream/config/entry-launch.ts";
import type { RawEntry } from "../upstream/config/parse-server-file.ts";
import { readEntry as readServer } from "../upstream/config/read-entry.ts";
import { EntryFault } from "../upstream/config/server-entry.ts";
import type { NewEntry } from "../upstream/edit/server-text.ts";
import { planImport } from "../upstream/import/plan-import.ts";
import { readForeignFile } from "../upstream/import/read-foreign-file.ts";
import { isOfUser } from "../upstream/secrets/secret-store.ts";
import { readEntry, readServers } from "./edit/entry-text.ts";
import { readClientFile, textOf } from "./file-change.ts";
import type { ClientFile } from "./find-client.ts";
import { type Entry, entryName } from "./install-targets.ts";
import { entriesIn, type MoveTarget, type PlannedMove, takenSecret } from "./move-servers.ts";

/** @throws {AppError} for a file that cannot be read, and errors of the store */
export async function planMove(place: ClientFile, move: MoveTarget): Promise<PlannedMove> {
  const text = textOf(readClientFile(place.file));
  const here = entriesIn(move.target.file);
  const raws = (readForeignFile(place.file, undefined) ?? []).filter(
    ({ name }) => name !== entryName,
  );
  const servers = new Map<string, NewEntry>();
  const shared: string[] = [];
  const secrets = new Map<string, string>();
  const wanted = new Map<string, Entry | undefined>();
  const notes: string[] = [];
  for (const raw of raws) {
    const isNamed = (name: string): boolean => servers.has(name) || shared.includes(name);
    const step = await stepOf(raw, { place, text, move, here, isNamed });
    if (step.kind !== "nothing") notes.push(...step.notes);
    if (step.kind !== "take" && step.kind !== "share") continue;
    wanted.set(step.from, step.off);
    if (step.kind === "share") {
      shared.push(step.name);
      continue;
    }
    servers.set(step.name, step.entry);
    for (const [key, value] of step.secrets) secrets.set(key, value);
  }
  const ofProjects = projectServers(place, text);
  return { file: move.target.file, servers, shared, secrets, wanted, notes, ofProjects };
}

/** The plan for one server of the client. */
type MoveStep =
  | { readonly kind: "stay"; readonly notes: readonly string[] }
  /** It is here, and off in the client, already. */
  | { readonly kind: "nothing" }
  | (MovedEntry & { readonly kind: "share" })
  | (MovedEntry & {
      readonly kind: "take";
      readonly entry: NewEntry;
      readonly secrets: ReadonlyMap<string, string>;
    });

interface MovedEntry {
  /** Its names in the client and here. */
  readonly from: string;
  readonly name: string;
  /** The client's entry afterwards. */
  readonly off: Entry | undefined;
  readonly notes: readonly string[];
}

interface Surroundings {
  readonly place: ClientFile;
  /** The text of the client's file. */
  readonly text: string;
  readonly move: MoveTarget;
  readonly here: ReadonlyMap<string, unknown>;
  /** Whether a server of the client before it gets that name. */
  readonly isNamed: (name: string) => boolean;
}

async function stepOf(raw: RawEntry, around: Surroundings): Promise<MoveStep> {
  const { place, text, move, here, isNamed } = around;
  const { client, file } = place;
  const stay = (why: string): MoveStep => ({ kind: "stay", notes: [why] });
  const [step] = planImport([raw], client.client.dialect ?? {}, move.origin, move.parts);
  if (step?.kind !== "take") {
    const why = step?.reason ?? "has no settings";
    return stay(`${step?.name ?? "without a name"} is not moved: it ${why}`);
  }
  const { name } = step;
  const from = String(raw.name);
  const there = readEntry(file, text, client.home, from);
  if (there === undefined) {
    return stay(`${from} is not moved: it is below a key that ${client.title} does not read`);
  }
  if (isNamed(name)) return stay(`${from} is not moved: another one is named ${name} here`);
  const secrets = new Map<string, string>();
  const entry = withSecrets(name, step.entry, secrets);
  const off = client.off === undefined ? undefined : { ...there, ...client.off };
  if (here.has(name)) {
    if (!(await isSameServer(entry, here.get(name), secrets, move))) {
      return stay(
        `${from} is not moved: ${move.target.file} has another one of that name. Remove one of them (mcp remove ${name}), and try again`,
      );
    }
    const isOff = Bun.deepEquals(there, off);
    return isOff ? { kind: "nothing" } : { kind: "share", from, name, off, notes: [] };
  }
  const taken = await takenSecret(secrets, move.secrets);
  if (taken !== undefined) {
    return stay(
      `${from} is not moved: there already is a secret ${taken}. Remove it (mcp secrets remove ${taken}), and try again`,
    );
  }
  const notes = step.notes.map((note) => `${from} ${note}`);
  return { kind: "take", from, name, off, entry, secrets, notes };
}

/**
 * The servers of projects, which stay in the client: here they would be in a file of the project, which others share and the
 * user has to approve, or in every project.
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
