import { realpathSync } from "node:fs";
import { join, resolve } from "node:path";

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
  return realPathOf(project) === realPathOf(user)
    ? folders
    : [...folders, { scope: "project", hooksDir: project }];
}

/** A home may be reached by more than one way. */
function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
