import { lstatSync, mkdirSync, realpathSync } from "node:fs";
import { join } from "node:path";

import { AppError, messageOf } from "../base/errors.ts";
import { principalName } from "../base/digests.ts";
import type { OwnPlace } from "../calls/call.ts";
import type { PrincipalFolders } from "../commands/sandbox/principal/view-arguments.ts";
import { planFolderParts } from "../state/plan/plan-folder.ts";

const privateFolder = { recursive: true, mode: 0o700 } as const;

/**
 * Makes the folders of a principal: those that its commands may change are beside what the server keeps for it.
 * @throws AppError `system`
 */
export function makePlace(scorpioxDir: string, owner: string): OwnPlace {
  const records = join(scorpioxDir, "workspaces", principalName(owner));
  const work = join(records, "work");
  try {
    for (const folder of [work, join(records, "home"), join(records, ...planFolderParts)]) {
      mkdirSync(folder, privateFolder);
      if (!lstatSync(folder).isDirectory()) throw new Error(`${folder} is not a folder`);
    }
    return { work: realpathSync(work), records: realpathSync(records) };
  } catch (error) {
    const message = `The workspace of this principal cannot be made: ${messageOf(error)}.`;
    throw new AppError("system", message, { cause: error });
  }
}

/** The same, as its commands see them. */
export function foldersOf({ work, records }: OwnPlace): PrincipalFolders {
  return { work, home: join(records, "home"), plans: join(records, ...planFolderParts) };
}
