import { realpathSync } from "node:fs";

/** Where the links of `path` lead; `path` itself when it is not there, or not ours to see. */
export function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
