import { skillWorkspacesMax } from "../../base/limits.ts";
import { builtInSkills } from "./built-in/built-in-skills.ts";
import { type FolderScan, FreshLook, SkillFolder } from "./skill-folder.ts";
import {
  compareNames,
  type Skill,
  type SkillDirs,
  type SkillProblem,
  type SkillSource,
  skillSources,
} from "./skill.ts";

/** The skills of one workspace at one moment; the same object as long as nothing has changed. */
export interface SkillSet {
  /** The skills that can be loaded, by name. */
  readonly skills: readonly Skill[];
  readonly byName: ReadonlyMap<string, Skill>;
  /** Skills that are hidden by an earlier one of the same name, or by a SKILL_… key. */
  readonly unused: readonly UnusedSkill[];
  readonly problems: readonly SkillProblem[];
}

interface UnusedSkill {
  readonly skill: Skill;
  readonly reason: "shadowed" | "hidden";
}

export interface SkillLibraryOptions extends SkillDirs {
  /** False for skills that a SKILL_… key hides. */
  readonly isEnabled: (skillName: string) => boolean;
}

interface Workspace {
  readonly folders: readonly SkillFolder[];
  scans: readonly FolderScan[];
  set: SkillSet;
  readonly looks: FreshLook<SkillSet>;
}

/** Finds skills, for each workspace in the order of its sources: of skills with the same name, the first is used. */
export class SkillLibrary {
  readonly #options: SkillLibraryOptions;
  /** The one that was asked for last comes last. */
  readonly #workspaces = new Map<string, Workspace>();
  readonly #own = new Map<string, SkillFolder>();

  constructor(options: SkillLibraryOptions) {
    this.#options = options;
  }

  /**
   * Reads the disk; never rejects.
   * @param dir absolute; undefined: only skills that do not depend on it
   */
  find(dir: string | undefined): Promise<SkillSet> {
    return this.#workspaceOf(dir).looks.take();
  }

  /** The result of the last look; before the first, the built-in skills. */
  known(dir: string | undefined): SkillSet {
    return this.#workspaceOf(dir).set;
  }

  async #scan(workspace: Workspace): Promise<SkillSet> {
    const scans = await Promise.all(workspace.folders.map((folder) => folder.scan()));
    if (scans.some((scan, at) => scan !== workspace.scans[at])) {
      workspace.scans = scans;
      workspace.set = this.#merge(scans);
    }
    return workspace.set;
  }

  #workspaceOf(dir: string | undefined): Workspace {
    const key = dir ?? "";
    const known = this.#workspaces.get(key);
    this.#workspaces.delete(key);
    const workspace = known ?? this.#open(dir);
    this.#workspaces.set(key, workspace);
    const [oldest] = this.#workspaces.keys();
    if (this.#workspaces.size > skillWorkspacesMax) this.#workspaces.delete(oldest ?? "");
    return workspace;
  }

  #open(dir: string | undefined): Workspace {
    const folders = skillSources(this.#options, dir).map((source) => this.#folderOf(source));
    const workspace: Workspace = {
      folders,
      scans: [],
      set: this.#merge([]),
      looks: new FreshLook(() => this.#scan(workspace)),
    };
    return workspace;
  }

  /** The user's own are the same for all workspaces. */
  #folderOf(source: SkillSource): SkillFolder {
    if (source.origin === "project") return new SkillFolder(source);
    const folder = this.#own.get(source.dir) ?? new SkillFolder(source);
    this.#own.set(source.dir, folder);
    return folder;
  }

  #merge(scans: readonly FolderScan[]): SkillSet {
    const byName = new Map<string, Skill>();
    const unused: UnusedSkill[] = [];
    for (const skill of [...scans.flatMap(({ skills }) => skills), ...builtInSkills]) {
      if (!this.#options.isEnabled(skill.name)) unused.push({ skill, reason: "hidden" });
      else if (byName.has(skill.name)) unused.push({ skill, reason: "shadowed" });
      else byName.set(skill.name, skill);
    }
    const skills = [...byName.values()].sort((a, b) => compareNames(a.name, b.name));
    const problems = scans.flatMap((scan) => scan.problems);
    return { skills, byName, unused, problems };
  }
}
