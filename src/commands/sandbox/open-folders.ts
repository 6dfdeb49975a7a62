import { lstat, readlink } from "node:fs/promises";
import { dirname, join } from "node:path";

import { AppError } from "../../base/errors.ts";
import { isInside } from "../../base/is-inside.ts";

/** Where a path leads, and by which links. All real paths. */
interface Way {
  readonly given: string;
  readonly end: string;
  readonly links: readonly string[];
}

/** As many as Linux follows. */
const linksMax = 40;

/**
 * The folders and files that are `wanted`, as real paths; what does not exist is left out.
 * @throws AppError `refused` where a link leads there that a command could have put in its place
 */
export async function openFolders(wanted: readonly string[]): Promise<readonly string[]> {
  const ways = (await Promise.all(wanted.map(follow))).filter((way) => way !== undefined);
  const folders = [...new Set(ways.map(({ end }) => end))];
  for (const { given, links } of ways) {
    for (const link of links) {
      const outer = folders.find((folder) => isInside(link, folder));
      if (outer !== undefined) throw linkRefusal(given, link, outer);
    }
  }
  return folders;
}

/** Undefined when there is nothing at `given`. */
async function follow(given: string): Promise<Way | undefined> {
  const links: string[] = [];
  const parts = given.split("/");
  let end = "/";
  try {
    for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
      const next = join(end, part);
      if (!(await lstat(next)).isSymbolicLink()) {
        end = next;
        continue;
      }
      if (links.push(next) > linksMax) return undefined;
      const target = await readlink(next);
      parts.unshift(...target.split("/"));
      end = target.startsWith("/") ? "/" : dirname(next);
    }
  } catch {
    return undefined;
  }
  return { given, end, links };
}

function linkRefusal(given: string, link: string, outer: string): AppError {
  return new AppError(
    "refused",
    `SANDBOX=workspace-write cannot open ${given} for writing: ${link} is a symbolic link in ${outer}, where commands ` +
      "can create links. Nothing was run. Give the link's target instead, or remove the link.",
  );
}
