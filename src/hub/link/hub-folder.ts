import { dirname } from "node:path";

import { messageOf } from "../../base/errors.ts";
import { ensureRunFolder } from "../../interact/attach/run-folder.ts";
import { HubFault } from "./hub-fault.ts";
import type { HubPlace } from "./hub-place.ts";

export const noHubOnWindows =
  "there is no hub on Windows, where the process at the other end of a pipe cannot be determined";

/** Makes the folder of a place, for this user alone. @throws HubFault */
export async function ensureHubFolder(place: HubPlace): Promise<void> {
  try {
    await ensureRunFolder(dirname(place.folder));
    await ensureRunFolder(place.folder);
  } catch (error) {
    throw new HubFault(`no folder ${place.folder}: ${messageOf(error)}`, { cause: error });
  }
}
