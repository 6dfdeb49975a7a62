import type { Params } from "../../../protocol/json-rpc.ts";
import { type FieldDifference, differencesOf } from "../difference.ts";
import { type LockedServer, type ProjectLock, serverValue } from "./project-lock.ts";

/** One way in which a server is not as the lock has it, apart from what it offers (`catalogueDifferences`). */
export type LockFinding =
  | {
      readonly kind: "changed";
      readonly server: string;
      readonly differences: readonly FieldDifference[];
    }
  | { readonly kind: "missing" | "new"; readonly server: string };

/** The parts that are known without asking a server. */
const offlineParts = ["launch", "identity", "package"];

/**
 * How servers differ from the lock, in the order of their names.
 * @param parts `configured`: only what configuration says is compared; `asked`: what servers say of themselves too
 */
export function compareLocks(
  lock: ProjectLock,
  present: ProjectLock,
  parts: "configured" | "asked",
): readonly LockFinding[] {
  const names = [...new Set([...lock.servers.keys(), ...present.servers.keys()])].sort();
  return names.flatMap((server): readonly LockFinding[] => {
    const old = lock.servers.get(server);
    const now = present.servers.get(server);
    if (old === undefined) return [{ kind: "new", server }];
    if (now === undefined) return [{ kind: "missing", server }];
    const differences = differencesOf(partsOf(old, now, parts), partsOf(now, old, parts));
    return differences.length === 0 ? [] : [{ kind: "changed", server, differences }];
  });
}

function partsOf(server: LockedServer, other: LockedServer, parts: "configured" | "asked"): Params {
  const { scopes, instructions: _, ...rest } = server;
  const tools = [...server.tools].filter(([name]) => other.tools.has(name));
  const value = serverValue({
    ...rest,
    // Hashes are compared where the definitions behind them can be shown.
    tools: new Map(tools.map(([name, tool]) => [name, { ...tool, hash: "" }])),
    prompts: new Map(),
    // Who was not asked for scopes knows of none.
    ...(scopes === undefined || other.scopes === undefined ? {} : { scopes }),
  });
  if (parts === "asked") return value;
  const names = offlineParts.filter((name) => value[name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, value[name]]));
}
