import { realpathSync } from "node:fs";

import type { StateScope } from "../base/server-events.ts";
import type { ClientContext } from "./call.ts";
import { workspaceDirOf } from "./workspace-dir.ts";

/** Whose tasks and plan a client sees: those of its workspace and its owner (design, decision 9). */
export async function scopeOf(client: ClientContext): Promise<StateScope> {
  const { owner = "", workspaceName } = client;
  if (workspaceName !== undefined) return { workspace: workspaceName, owner };
  return { workspace: realFolder(await workspaceDirOf(client)), owner };
}

/**
 * A folder that is gone still has its tasks. Every command asks, so this does not wait for another thread, which takes
 * some hundred microseconds: looking takes ten.
 */
function realFolder(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch {
    return folder;
  }
}
