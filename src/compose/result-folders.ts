import { tmpdir } from "node:os";
import { join } from "node:path";

/** Where results that are too long for a reply are kept; the second stands in for the first. */
export function resultFolders(scorpioxDir: string): string[] {
  const uid = process.getuid?.() ?? "user";
  return [join(scorpioxDir, "results"), join(tmpdir(), `scorpiox-results-${uid}`)];
}
