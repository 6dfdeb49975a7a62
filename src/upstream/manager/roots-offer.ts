import { pathToFileURL } from "node:url";

import type { GivenRoots } from "../config/server-entry.ts";
import type { RootsOffer } from "../connect/connection.ts";
import type { CurrentProject } from "./manager-parts.ts";

/** The roots that one connection offers; undefined when its server may not ask for any. */
export function rootsOffer(
  given: GivenRoots,
  project: Pick<CurrentProject, "folders" | "dirs">,
): RootsOffer | undefined {
  if (given === "none") return undefined;
  if (typeof given !== "string") return { isAsked: false, known: () => given.map(rootOf) };
  if (given === "client") return { isAsked: true, known: () => project.folders.map(rootOf) };
  const workspace = (): readonly string[] => {
    const { projectDir } = project.dirs;
    return projectDir === undefined ? [] : [projectDir];
  };
  return { isAsked: true, known: () => workspace().map(rootOf) };
}

function rootOf(path: string): ReturnType<RootsOffer["known"]>[number] {
  return { uri: pathToFileURL(path).href, name: path.split(/[/\\]/).at(-1) ?? "" };
}
