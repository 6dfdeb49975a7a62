import { parseEnvFile } from "./env-file.ts";
import type { EnvFile } from "./env-file.ts";
import type { ConfigLevel } from "./places.ts";
import { readTextFile } from "./read-text-file.ts";
import type { Resolution } from "./resolution.ts";
import { faultOfWriters } from "./written-by-others.ts";

/** A file of the cascade and how far it is trusted. */
export interface CascadeFile {
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
