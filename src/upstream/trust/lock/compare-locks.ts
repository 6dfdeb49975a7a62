import type { Params } from "../../../protocol/json-rpc.ts";
import { type FieldDifference, differencesOf } from "../difference.ts";
import { type LockedServer, type ProjectLock, serverValue } from "./project-lock.ts";

/** One way in which what is there is not what the lock says. */
export type LockFinding =
  | {
      readonly kind: "changed";
      readonly server: string;
      readonly differences: readonly FieldDifference[];
    }
  /** `item` is a tool or prompt; undefined = the whole server. */
  | {
      readonly kind: "missing" | "new";
      readonly server: string;
      readonly item?: { readonly kind: "tool" | "prompt"; readonly name: string };
    }
  | { readonly kind: "unreachable"; readonly server: string; readonly reason: string };

/** The parts that are known without asking a server. */
const offlineParts = ["launch", "identity", "package"];

/**
 * How servers differ from the lock, in the order of their names.
 * @param parts `configured`: only what configuration says is compared
 */
export function compareLocks(
  lock: ProjectLock,
  present: ProjectLock,
  parts: "configured" | "all",
): readonly LockFinding[] {
  const names = [...new Set([...lock.servers.keys(), ...present.servers.keys()])].sort();
  return names.flatMap((name): readonly LockFinding[] => {
    const old = lock.servers.get(name);
    const now = present.servers.get(name);
    if (old === undefined) return [{ kind: "new", server: name }];
    if (now === undefined) return [{ kind: "missing", server: name }];
    return compareServers(name, old, now, parts);
  });
}

/** 10 changed, 11 missing or new, 12 unreachable, else 0; what changed must not hide behind the rest. */
export function exitCodeOf(findings: readonly { readonly kind: LockFinding["kind"] }[]): number {
  const kinds = new Set(findings.map(({ kind }) => kind));
  if (kinds.has("changed")) return 10;
  if (kinds.has("missing") || kinds.has("new")) return 11;
  return kinds.has("unreachable") ? 12 : 0;
}

function compareServers(
  server: string,
  old: LockedServer,
  now: LockedServer,
  parts: "configured" | "all",
): readonly LockFinding[] {
  const differences = differencesOf(partsOf(old, now, parts), partsOf(now, old, parts));
  const changed: readonly LockFinding[] =
    differences.length === 0 ? [] : [{ kind: "changed", server, differences }];
  if (parts === "configured") return changed;
  return [
    ...changed,
    ...itemFindings(server, "tool", old.tools, now.tools),
    ...itemFindings(server, "prompt", old.prompts, now.prompts),
  ];
}

/** What is compared field by field: tools and prompts that only one of both has are findings of their own. */
function partsOf(server: LockedServer, other: LockedServer, parts: "configured" | "all"): Params {
  const { scopes, ...rest } = server;
  const value = serverValue({
    ...rest,
    tools: shared(server.tools, other.tools),
    prompts: shared(server.prompts, other.prompts),
    // Who was not asked for scopes knows of none.
    ...(scopes === undefined || other.scopes === undefined ? {} : { scopes }),
  });
  if (parts === "all") return value;
  const names = offlineParts.filter((name) => value[name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, value[name]]));
}

function shared<Item>(
  map: ReadonlyMap<string, Item>,
  other: ReadonlyMap<string, unknown>,
): ReadonlyMap<string, Item> {
  return new Map([...map].filter(([name]) => other.has(name)));
}

function itemFindings(
  server: string,
  kind: "tool" | "prompt",
  old: ReadonlyMap<string, unknown>,
  now: ReadonlyMap<string, unknown>,
): readonly LockFinding[] {
  const missing = [...old.keys()].filter((name) => !now.has(name)).sort();
  const added = [...now.keys()].filter((name) => !old.has(name)).sort();
  return [
    ...missing.map((name) => ({ kind: "missing" as const, server, item: { kind, name } })),
    ...added.map((name) => ({ kind: "new" as const, server, item: { kind, name } })),
  ];
}
