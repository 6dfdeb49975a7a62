import { isAbsolute } from "node:path";

import { AppError } from "../base/errors.ts";
import type { ClientContext } from "./call.ts";

/** The folder in which the commands of this client run. @throws AppError `system` when it is no absolute path */
export async function workspaceDirOf(client: ClientContext): Promise<string> {
  const folder = await client.workspaceDir();
  if (isAbsolute(folder)) return folder;
  throw new AppError("system", `The workspace folder is not an absolute path: ${folder}`);
}
