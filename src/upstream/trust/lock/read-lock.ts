import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";

import { messageOf, systemCodeOf } from "../../../base/errors.ts";
import { trustFileBytesMax } from "../../../base/upstream-limits.ts";
import { mayBeNameOf } from "../../names/exposed-name.ts";
import type { ToolPins } from "../trust-record.ts";
import { parseLock, type ProjectLock } from "./project-lock.ts";

/** Beside what it locks, in the project's folder: it is meant to be committed. */
export const lockFileName = "mcp.lock";

export type LockReading =
  | { readonly kind: "lock"; readonly lock: ProjectLock }
  | { readonly kind: "absent" }
  /** One sentence, fit for a person. */
  | { readonly kind: "unusable"; readonly problem: string };

function lockFileOf(projectDir: string): string {
  return join(projectDir, lockFileName);
}

/** Never rejects. */
export async function readLock(projectDir: string): Promise<LockReading> {
  const file = lockFileOf(projectDir);
  const unusable = (reason: string): LockReading => {
    const problem = `${file} ${reason}. Restore it from version control, or write it anew: mcp lock.`;
    return { kind: "unusable", problem };
  };
  try {
    const stats = await stat(file);
    if (!stats.isFile()) return unusable("is not a regular file");
    if (stats.size > trustFileBytesMax)
      return unusable(`is larger than ${trustFileBytesMax} bytes`);
    const lock = parseLock(await readFile(file, "utf8"));
    return lock === undefined
      ? unusable("is no lock that this version can read")
      : { kind: "lock", lock };
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === "ENOENT" || code === "ENOTDIR") return { kind: "absent" };
    return unusable(`cannot be read: ${messageOf(error)}`);
  }
}

/**
 * The baseline of a first contact (`JudgeParts.lockPins`); undefined when there is no lock, or none of this server. A
 * lock that cannot be read approves nothing.
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

/** Names that the tool had under other budgets, for `ToolEntry.earlierNames`. */
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
