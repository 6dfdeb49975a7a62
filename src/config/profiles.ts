import { existsSync, readdirSync } from "node:fs";

import { type EnvFile, parseEnvFile } from "./env-file.ts";
import { findConfigKey } from "./keys.ts";
import { suggestionFor } from "./nearest-name.ts";
import { type ConfigFolder, type ConfigLevel, profileFile, profileFolder } from "./places.ts";
import { faultOfWriters, readTextFile } from "./read-text-file.ts";
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

/** A file of the cascade and how far it is trusted. */
interface CascadeFile {
  readonly level: ConfigLevel;
  readonly file: string;
  /** It is in a project: each key's project policy applies. */
  readonly fromProject: boolean;
  /** Keys to leave out, silently. */
  readonly skips?: (key: string) => boolean;
  /** The user named it, so its absence is an error. */
  readonly required?: boolean;
}

/** Applies the assignments of `source.file`, if it exists; its errors become problems. */
export function applyFile(resolution: Resolution, source: CascadeFile): void {
  const { file } = source;
  const content = readTextFile(file);
  switch (content.kind) {
    case "text":
      return applyEntries(resolution, source, parseEnvFile(content.text));
    case "unusable":
      return reportUnusable(resolution, source, `this file ${content.reason}`);
    case "absent":
      if (source.required === true) reportUnusable(resolution, source, "there is no such file");
  }
}

/** Checks a file that the user named and another reader parses, which reports its errors. */
export function checkThere(resolution: Resolution, source: CascadeFile): void {
  const isAbsent = readTextFile(source.file).kind === "absent";
  if (isAbsent) reportUnusable(resolution, source, "there is no such file");
}

function reportUnusable(resolution: Resolution, source: CascadeFile, what: string): void {
  const place = { file: source.file };
  if (source.required === true) {
    resolution.problems.error(
      place,
      `${what}. Correct the path after --config, or remove the flag.`,
    );
  } else {
    resolution.problems.warn(place, `${what}; it is ignored.`);
  }
}

function applyEntries(resolution: Resolution, source: CascadeFile, content: EnvFile): void {
  const { file, level, fromProject } = source;
  const isOwn = !fromProject && source.required !== true;
  const fault = isOwn ? faultOfWriters(file) : undefined;
  if (fault !== undefined) {
    // Ignoring all of it would switch on what its user has switched off.
    resolution.problems.warn({ file }, `this file ${fault}; only stricter values are used.`);
  }
  for (const line of content.badLines) {
    // The line itself is not shown: behind a symbolic link it may be anything, a private key too.
    resolution.problems.warn({ file, line }, "this line is not KEY=VALUE; it is ignored.");
  }
  const lastLines = new Map<string, number>();
  for (const { key, line } of content.entries) {
    const earlier = lastLines.get(key);
    if (earlier !== undefined) {
      const text = `${key} is set on line ${earlier} too; this line is used.`;
      resolution.problems.warn({ file, line }, text, key);
    }
    lastLines.set(key, line);
  }
  for (const { key, value, line } of content.entries) {
    if (lastLines.get(key) !== line || source.skips?.(key) === true) continue;
    const isOpen = fault !== undefined;
    resolution.apply({ key, value, source: { level, file, line }, fromProject, isOpen });
  }
}
