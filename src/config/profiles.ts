import { existsSync, readdirSync } from "node:fs";

import { applyFile } from "./apply-file.ts";
import { findConfigKey } from "./keys.ts";
import { suggestionFor } from "./nearest-name.ts";
import { profileFile, profileFolder } from "./places.ts";
import type { ConfigFolder } from "./places.ts";
import type { Resolution } from "./resolution.ts";
import { profileNameValue } from "./value-types.ts";

/** A profile and its file. */
export interface ProfileListing {
  readonly name: string;
  readonly file: string;
  readonly level: ConfigFolder["level"];
}

/**
 * Applies the profile `name`: the file in the strongest folder replaces all weaker ones. But a project's profile is a project's
 * file: the user's profile of that name still sets the keys that a project may not set.
 */
export function applyProfile(
  resolution: Resolution,
  folders: readonly ConfigFolder[],
  name: string,
): void {
  const [first, ...weaker] = folders
    .toReversed()
    .filter((folder) => existsSync(profileFile(folder, name)));
  if (first === undefined) return reportMissing(resolution, folders, name);
  const shadowed = weaker.find((folder) => folder.level !== "project");
  if (first.level === "project" && shadowed !== undefined) {
    applyFile(resolution, {
      level: "profile",
      file: profileFile(shadowed, name),
      fromProject: false,
      skips: (key) => (findConfigKey(key)?.project ?? "set") === "set",
    });
  }
  applyFile(resolution, {
    level: "profile",
    file: profileFile(first, name),
    fromProject: first.level === "project",
  });
}

/** The available profiles, sorted by name. */
export function listProfiles(folders: readonly ConfigFolder[]): ProfileListing[] {
  const profiles = new Map<string, ProfileListing>();
  for (const folder of folders) {
    for (const fileName of namesIn(profileFolder(folder))) {
      const name = fileName.slice(0, -".txt".length);
      if (!fileName.endsWith(".txt") || !isProfileName(name)) continue;
      profiles.set(name, { name, file: profileFile(folder, name), level: folder.level });
    }
  }
  return [...profiles.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function isProfileName(name: string): boolean {
  return name !== "" && profileNameValue.parse(name, "") !== undefined;
}

function reportMissing(
  resolution: Resolution,
  folders: readonly ConfigFolder[],
  name: string,
): void {
  const names = listProfiles(folders).map((profile) => profile.name);
  resolution.problems.warn(
    { name: "ACTIVE_PROFILE" },
    `there is no profile "${name}" in ${folders.map(profileFolder).join(", ")}; none is used.` +
      suggestionFor(name, names),
    "ACTIVE_PROFILE",
  );
}

function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch {
    // No such folder, or not a folder: no profiles.
    return [];
  }
}
