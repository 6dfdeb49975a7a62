import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";

import { messageOf, systemCodeOf } from "../../../base/errors.ts";
import { trustFileBytesMax } from "../../../base/upstream-limits.ts";
import { isObject, canonicalJson } from "../../../base/values.ts";
import { isNestedDeeper } from "../../connect/read-reply.ts";
import type { RunnerPackage } from "../../install/runner-words.ts";
import { mayBeNameOf } from "../../names/assign-names.ts";
import { mapOf, textOf, type ToolPins } from "../trust-file.ts";

/** In the project's folder, beside the configuration; it is meant to be committed. */
export const lockFileName = "mcp.lock";

export type LockReading =
  | { readonly kind: "lock"; readonly lock: ProjectLock }
  | { readonly kind: "absent" }
  /** One sentence for a person. */
  | { readonly kind: "unusable"; readonly problem: string };

export function lockFileOf(projectDir: string): string {
  return join(projectDir, lockFileName);
}

/** Never rejects. */
export async function readLock(projectDir: string): Promise<LockReading> {
  const file = lockFileOf(projectDir);
  const unusable = (reason: string): LockReading => {
    const problem = `${file} ${reason}. Restore it from version control, or write a new one: mcp lock.`;
    return { kind: "unusable", problem };
  };
  try {
    const stats = await stat(file);
    if (!stats.isFile()) return unusable("is not a regular file");
    if (stats.size > trustFileBytesMax)
      return unusable(`is larger than ${trustFileBytesMax} bytes`);
    const lock = parseLock(await readFile(file, "utf8"));
    return lock === undefined
      ? unusable("is not a lock that this version can read")
      : { kind: "lock", lock };
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === "ENOENT" || code === "ENOTDIR") return { kind: "absent" };
    return unusable(`cannot be read: ${messageOf(error)}`);
  }
}

/**
 * The baseline of a first contact (`CatalogueJudgeParts.lockPins`); undefined when there is no lock, or it does not contain this
 * server. An unreadable lock approves nothing.
 */
export function lockPinsOf(reading: LockReading, server: string): ToolPins | undefined {
  if (reading.kind === "absent") return undefined;
  const denied = new Set<string>();
  if (reading.kind === "unusable") return { tools: new Map(), prompts: new Map(), denied };
  const locked = reading.lock.servers.get(server);
  if (locked === undefined) return undefined;
  const { instructions, tools, prompts } = locked;
  return {
    ...(instructions === undefined ? {} : { instructions }),
    tools: new Map([...tools].map(([name, { hash }]) => [name, hash])),
    prompts,
    denied,
  };
}

/** Names that the tool had under other character budgets, for `ToolEntry.earlierNames`. */
export function earlierNamesOf(
  reading: LockReading,
  { server, tool, name }: { readonly server: string; readonly tool: string; readonly name: string },
): readonly string[] {
  if (reading.kind !== "lock") return [];
  const locked = reading.lock.servers.get(server)?.tools.get(tool);
  if (locked === undefined) return [];
  return [...new Set([locked.exposed, ...(locked.earlier ?? [])])].filter((one) => {
    return one !== name && mayBeNameOf(one, server, tool);
  });
}

/** `mcp.lock`: the servers and their offers when it was written. Contains no secrets and no times. */
export interface ProjectLock {
  readonly servers: ReadonlyMap<string, LockedServer>;
}

export interface LockedServer {
  readonly launch: LockedLaunch;
  readonly identity: string;
  readonly package?: RunnerPackage;
  /** Its description of itself. */
  readonly server?: { readonly name: string; readonly version: string };
  readonly protocolVersion: string;
  /** Hash. */
  readonly instructions?: string;
  readonly tools: ReadonlyMap<string, LockedTool>;
  /** Hashes by name. */
  readonly prompts: ReadonlyMap<string, string>;
  /** The granted scopes of the login, sorted. */
  readonly scopes?: readonly string[];
}

/** Values of variables and headers are left out: they may be secrets. */
export type LockedLaunch =
  | {
      readonly transport: "stdio";
      readonly command: string;
      readonly args: readonly string[];
      readonly env: readonly string[];
      readonly cwd?: string;
    }
  | { readonly transport: "http"; readonly url: string; readonly headers: readonly string[] };

export interface LockedTool {
  readonly hash: string;
  /** Its name for clients. */
  readonly exposed: string;
  /** Names that it had under other character budgets, sorted. */
  readonly earlier?: readonly string[];
}

const lockVersion = 1;

/** The deepest nesting; real locks have less. */
const lockLevelsMax = 16;

/** Prints the same bytes for the same lock on every machine. */
export function printLock(lock: ProjectLock): string {
  return `${canonicalJson(lockValue(lock), 2)}\n`;
}

/** @returns undefined for a text that is not a lock of this version */
export function parseLock(text: string): ProjectLock | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (isNestedDeeper(value, lockLevelsMax)) return undefined;
    if (!isObject(value) || value.lockVersion !== lockVersion) {
      return undefined;
    }
    return { servers: mapOf(value.servers, serverOf) };
  } catch {
    return undefined;
  }
}

/** A server as plain data. */
export function serverValue(server: LockedServer): Readonly<Record<string, unknown>> {
  const { tools, prompts } = server;
  return { ...server, tools: Object.fromEntries(tools), prompts: Object.fromEntries(prompts) };
}

function lockValue({ servers }: ProjectLock): unknown {
  const values = [...servers].map(([name, server]) => [name, serverValue(server)] as const);
  return { lockVersion, servers: Object.fromEntries(values) };
}

/** Validates the parts that a first contact and `mcp verify` use; the rest is only compared. */
function serverOf(value: unknown): LockedServer {
  if (!isObject(value)) throw new TypeError("no server");
  const { instructions } = value;
  return {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- compared as a whole, so that any other value is a difference
    ...(value as typeof value & LockedServer),
    identity: textOf(value.identity),
    ...(instructions === undefined ? {} : { instructions: textOf(instructions) }),
    tools: mapOf(value.tools, toolOf),
    prompts: mapOf(value.prompts, textOf),
  };
}

function toolOf(value: unknown): LockedTool {
  if (!isObject(value)) throw new TypeError("no tool");
  const { earlier } = value;
  if (earlier !== undefined && !Array.isArray(earlier)) throw new TypeError("no list");
  return {
    hash: textOf(value.hash),
    exposed: textOf(value.exposed),
    ...(earlier === undefined ? {} : { earlier: earlier.map(textOf) }),
  };
}
