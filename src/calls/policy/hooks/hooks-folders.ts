import { join, resolve } from "node:path";

import { realPathOf } from "../../../base/real-path.ts";
import type { HooksFolder } from "./hook.ts";

/** Where hooks may be: the user's folder, then that of the project; a home that lies in the project is the user's. */
export function hooksFoldersOf(dirs: {
  readonly scorpioxDir: string;
  readonly projectDir: string | undefined;
}): readonly HooksFolder[] {
  const user = resolve(dirs.scorpioxDir, "hooks");
  const folders: HooksFolder[] = [{ scope: "user", hooksDir: user }];
  if (dirs.projectDir === undefined) return folders;
  const project = resolve(join(dirs.projectDir, ".scorpiox", "hooks"));
  // A home may be reached by more than one way.
  return realPathOf(project) === realPathOf(user)
    ? folders
    : [...folders, { scope: "project", hooksDir: project }];
}
