import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";

/** What of a file is looked at: `contents` is names, kinds and bytes; `all` also rights, owners and times. */
export type DigestDepth = "contents" | "all";

/** A line for each file and folder below `folder`, in order; two trees are alike when these are. */
export function treeLines(folder: string, depth: DigestDepth): string[] {
  const lines: string[] = [];
  const walk = (path: string, name: string): void => {
    lines.push(lineOf(path, name, depth));
    if (!lstatSync(path).isDirectory()) return;
    for (const entry of readdirSync(path).sort()) walk(join(path, entry), join(name, entry));
  };
  walk(folder, ".");
  return lines;
}

function lineOf(path: string, name: string, depth: DigestDepth): string {
  const stats = lstatSync(path, { bigint: true });
  const kind = stats.mode & 0o170000n;
  const parts: unknown[] = [name, kind.toString(8)];
  if (stats.isFile()) parts.push(createHash("sha256").update(readFileSync(path)).digest("hex"));
  if (stats.isSymbolicLink()) parts.push(readlinkSync(path));
  // Not the time of the last access: reading is allowed.
  const { mode, uid, gid, nlink, mtimeNs, ctimeNs } = stats;
  if (depth === "all") parts.push(mode.toString(8), uid, gid, nlink, mtimeNs, ctimeNs);
  return parts.join(" ");
}
