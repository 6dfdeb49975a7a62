import { realpath } from "node:fs/promises";

import type { StateScope } from "../base/server-events.ts";
import type { ClientContext } from "./call.ts";
import { workspaceDirOf } from "./workspace-dir.ts";

/** Whose tasks and plan a client sees: those of its workspace and its owner (design, decision 9). */
export async function scopeOf(client: ClientContext): Promise<StateScope> {
  const { owner = "", workspaceName } = client;
  if (workspaceName !== undefined) return { workspace: workspaceName, owner };
  return { workspace: await realFolder(await workspaceDirOf(client)), owner };
}

/** A folder that is gone still has its tasks. */
async function realFolder(folder: string): Promise<string> {
  try {
    return await realpath(folder);
  } catch {
    return folder;
  }
}
