import { isObject } from "../../../protocol/json-rpc.ts";
import { isNestedDeeper } from "../../connect/nesting.ts";
import { mapOf, textOf } from "../parsed-values.ts";

/** `mcp.lock`: what servers were and offered when it was written. Holds no secrets and no times. */
export interface ProjectLock {
  readonly servers: ReadonlyMap<string, LockedServer>;
}

export interface LockedServer {
  readonly launch: LockedLaunch;
  readonly identity: string;
  readonly package?: LockedPackage;
  /** What it said of itself. */
  readonly server?: { readonly name: string; readonly version: string };
  readonly protocolVersion: string;
  /** Hash. */
  readonly instructions?: string;
  readonly tools: ReadonlyMap<string, LockedTool>;
  /** Hashes by name. */
  readonly prompts: ReadonlyMap<string, string>;
  /** What a login was granted, in order. */
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

/** What a launcher of packages was told to run. */
export interface LockedPackage {
  readonly from: "npm" | "pypi" | "image";
  readonly name: string;
  /** Absent: any version may come. */
  readonly version?: string;
}

export interface LockedTool {
  readonly hash: string;
  /** The name under which clients have it. */
  readonly exposed: string;
  /** Names that it had under other budgets, in order. */
  readonly earlier?: readonly string[];
}

const lockVersion = 1;
/** More than a lock ever has; one that is nested for ever is nobody's. */
const lockLevelsMax = 16;

/** The same lock gives the same bytes on every machine. */
export function printLock(lock: ProjectLock): string {
  return `${JSON.stringify(lockValue(lock), undefined, 2)}\n`;
}

/** @returns undefined for what is no lock of this version */
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

/** As plain data, the members of objects in the order of their names. */
export function serverValue(server: LockedServer): Readonly<Record<string, unknown>> {
  const value = { ...server, tools: objectOf(server.tools), prompts: objectOf(server.prompts) };
  return sorted(value) as Readonly<Record<string, unknown>>;
}

function lockValue({ servers }: ProjectLock): unknown {
  const values = [...servers].map(([name, server]) => [name, serverValue(server)] as const);
  return sorted({ lockVersion, servers: Object.fromEntries(values) });
}

function objectOf<Item>(map: ReadonlyMap<string, Item>): Readonly<Record<string, Item>> {
  return Object.fromEntries(map);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, sorted(value[name])]));
}

/** What a first contact and `mcp verify` look at must be right; the rest is only compared. */
function serverOf(value: unknown): LockedServer {
  if (!isObject(value)) throw new TypeError("no server");
  const { instructions } = value;
  return {
    ...(value as unknown as LockedServer),
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
