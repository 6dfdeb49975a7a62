import { join, resolve } from "node:path";

/** A folder that may hold skills. */
export interface SkillSource {
  readonly dir: string;
  readonly origin: "project" | "user";
  /** Nothing in it may lead out of this folder; undefined: links may lead to files of the same user. */
  readonly within: string | undefined;
  /** True when the user has named it: then it should be there. */
  readonly isNamed?: boolean;
}

export interface SkillDirs {
  readonly homeDir: string;
  /** `~/.scorpiox`, or what SCORPIOX_HOME says. */
  readonly scorpioxDir: string;
  /** ADDITIONAL_SKILLS: absolute paths. */
  readonly additional: readonly string[];
}

const workspaceFolders = [".claude/skills", ".scorpiox/skills", ".agents/skills"];

/** The folders where skills are looked for, in order of precedence. @param workspace undefined while it is not known */
export function skillSources(
  { homeDir, scorpioxDir, additional }: SkillDirs,
  workspace: string | undefined,
): readonly SkillSource[] {
  const own = [join(homeDir, ".claude/skills"), join(scorpioxDir, "skills"), ...additional].map(
    (dir) => resolve(dir),
  );
  const sources = new Map<string, SkillSource>();
  for (const name of workspace === undefined ? [] : workspaceFolders) {
    const dir = resolve(workspace ?? "", name);
    // Skills in the home folder belong to the user, also when commands run there.
    const isOwn = own.includes(dir) || resolve(workspace ?? "") === resolve(homeDir);
    sources.set(
      dir,
      isOwn
        ? { dir, origin: "user", within: undefined }
        : { dir, origin: "project", within: workspace },
    );
  }
  const named = new Set(additional.map((dir) => resolve(dir)));
  for (const dir of own) {
    if (sources.has(dir)) continue;
    sources.set(dir, { dir, origin: "user", within: undefined, isNamed: named.has(dir) });
  }
  return [...sources.values()];
}
