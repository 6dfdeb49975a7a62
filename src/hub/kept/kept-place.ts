import { join } from "node:path";

import { sha256Hex } from "../../base/digests.ts";
import { keptFolderName } from "../../base/own-files.ts";
import type { StateScope } from "../../base/server-events.ts";

/** Characters of a digest that name a workspace: two with the same do not happen. */
const keyChars = 24;

/** The folder of all kept tasks of a user. */
export function keptFolderIn(scorpioxDir: string): string {
  return join(scorpioxDir, keptFolderName);
}

/** The name of a workspace in that folder. */
export function workspaceKeyOf({ workspace, owner }: StateScope): string {
  return sha256Hex(JSON.stringify([workspace, owner])).slice(0, keyChars);
}

export function isWorkspaceKey(name: string): boolean {
  return name.length === keyChars && /^[0-9a-f]+$/.test(name);
}

/** The files of one kept task, each written by one side only. */
export const taskFiles = {
  /** `TaskRecord`; written before the command is started. */
  record: "record.json",
  /** `TaskProcesses`; written once it runs. */
  processes: "processes.json",
  /** All that it prints. */
  output: "output",
  /** The absolute offset of the first byte of it that is held. */
  dropped: "dropped",
  /** Written by the shell around the command: its exit code. */
  exit: "exit",
  /** The hub that watches over it. */
  owner: "owner.json",
  /** `EndWish`: somebody has had it ended. */
  wish: "wish.json",
  /** `TaskEnd`: nothing of it runs any more. */
  end: "end.json",
  /** How far each client has read. */
  cursors: "cursors",
} as const;
