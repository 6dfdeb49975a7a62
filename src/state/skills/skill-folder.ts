import type { Dirent } from "node:fs";
import { lstat, readdir, stat } from "node:fs/promises";
import { join } from "node:path";

import { AppError, messageOf, systemCodeOf } from "../../base/errors.ts";
import {
  skillFileBytesMax,
  skillFolderSettledMs,
  skillFrontMatterBytesMax,
  skillReadsMax,
  skillsPerFolderMax,
} from "../../base/limits.ts";
import { readInside, realSkillFolder, realSourceDir } from "./open-skill.ts";
import { readSkill } from "./read-skill.ts";
import { firstByName } from "./skill-files.ts";
import { isSkillName, type Skill, type SkillProblem, type SkillSource } from "./skill.ts";

/** The most names that a note lists of folders that cannot be skills. */
const unusableMax = 20;

type Entry = Pick<Dirent, "name" | "isFile">;

interface FolderNames {
  /** The first `skillsPerFolderMax`, sorted. */
  readonly usable: readonly string[];
  readonly usableCount: number;
  /** Some that cannot be the name of a skill, sorted. */
  readonly unusable: readonly string[];
}

/** The names in a folder that may be skills: no plain files, no names that begin with a dot. */
export async function folderNames(entries: readonly Entry[]): Promise<FolderNames> {
  const isUsable = (entry: Entry): boolean => mayBeSkill(entry) && isSkillName(entry.name);
  const isUnusable = (entry: Entry): boolean => mayBeSkill(entry) && !isSkillName(entry.name);
  const usable = await firstByName(entries, isUsable, skillsPerFolderMax);
  const unusable = await firstByName(entries, isUnusable, unusableMax);
  return {
    usable: usable.first.map(nameOf),
    usableCount: usable.count,
    unusable: unusable.first.map(nameOf),
  };
}

function mayBeSkill(entry: Entry): boolean {
  return !entry.name.startsWith(".") && !entry.isFile();
}

function nameOf({ name }: Entry): string {
  return name;
}

/** `work` for each item, at most `size` at a time; the results in the order of the items. */
async function inBatches<Item, Result>(
  items: readonly Item[],
  size: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < items.length; start += size) {
    const batch = items.slice(start, start + size);
    results.push(...(await Promise.all(batch.map((item) => work(item)))));
  }
  return results;
}

/** The content of a skills folder at one moment; the same object as long as nothing has changed. */
export interface FolderScan {
  /** The skills of the folder, by name. */
  readonly skills: readonly Skill[];
  readonly problems: readonly SkillProblem[];
}

const nothing: FolderScan = { skills: [], problems: [] };

/** The result of reading one skill once. */
interface Known {
  readonly stamp: string;
  readonly found: Skill | SkillProblem;
}

/** One skills folder. The names in it are read again when the folder has changed, a skill when its SKILL.md has. */
export class SkillFolder {
  readonly #source: SkillSource;
  #stamp: string | undefined;
  #names: readonly string[] = [];
  #known = new Map<string, Known>();
  #notes: readonly SkillProblem[] = [];
  #scan: FolderScan = nothing;
  readonly #looks = new FreshLook(() => this.#look());

  constructor(source: SkillSource) {
    this.#source = source;
  }

  /** Reads the disk. Never rejects: a skill that cannot be used becomes a problem. */
  scan(): Promise<FolderScan> {
    return this.#looks.take();
  }

  async #look(): Promise<FolderScan> {
    try {
      const isNew = await this.#readNames();
      const stamps = await Promise.all(this.#names.map((name) => this.#stampOf(name)));
      const stale = this.#names.filter((name, at) => this.#known.get(name)?.stamp !== stamps[at]);
      if (!isNew && stale.length === 0) return this.#scan;
      const stampsByName = new Map(this.#names.map((name, at) => [name, stamps[at] ?? ""]));
      const fresh = await inBatches(stale, skillReadsMax, (name) => this.#read(name));
      for (const [at, name] of stale.entries()) {
        const found = fresh[at];
        if (found !== undefined) {
          this.#known.set(name, { stamp: stampsByName.get(name) ?? "", found });
        }
      }
      return this.#update();
    } catch (error) {
      return this.#forget(error);
    }
  }

  /** True when there may be other names than before. */
  async #readNames(): Promise<boolean> {
    const { dir } = this.#source;
    const before = await stat(dir);
    const stamp = `${before.dev}:${before.ino}:${before.mtimeMs}:${before.ctimeMs}`;
    if (stamp === this.#stamp) return false;
    await realSourceDir(this.#source);
    const entries = await readdir(dir, { withFileTypes: true });
    const { usable, usableCount, unusable } = await folderNames(entries);
    this.#names = usable;
    this.#notes = notesOf(dir, unusable, usableCount);
    const names = new Set(this.#names);
    for (const name of this.#known.keys()) if (!names.has(name)) this.#known.delete(name);
    // Another change within the same tick of the file system's clock would not be seen. A time to come was set by somebody.
    const isSettled = Math.abs(Date.now() - before.mtimeMs) >= skillFolderSettledMs;
    this.#stamp = isSettled ? stamp : undefined;
    return true;
  }

  async #stampOf(name: string): Promise<string> {
    const path = join(this.#source.dir, name, "SKILL.md");
    try {
      const seen = await lstat(path);
      const { ino, size, mtimeMs, ctimeMs } = seen.isSymbolicLink() ? await stat(path) : seen;
      return `${ino}:${size}:${mtimeMs}:${ctimeMs}`;
    } catch (error) {
      return String(systemCodeOf(error));
    }
  }

  async #read(name: string): Promise<Skill | SkillProblem> {
    const folder = join(this.#source.dir, name);
    try {
      const real = await realSkillFolder(this.#source, name);
      // Front matter, the lines around it and some text after it.
      const bytesMax = skillFrontMatterBytesMax * 2;
      const { bytes, size } = await readInside(join(real, "SKILL.md"), real, bytesMax);
      if (size > skillFileBytesMax) {
        return { path: folder, reason: `its SKILL.md has more than ${skillFileBytesMax} bytes` };
      }
      const head = new TextDecoder().decode(bytes);
      return readSkill({ name, origin: this.#source.origin, folder }, head);
    } catch (error) {
      return { path: folder, reason: reasonOf(error) };
    }
  }

  #update(): FolderScan {
    const found = this.#names.flatMap((name) => this.#known.get(name)?.found ?? []);
    const skills = found.filter((entry) => "name" in entry);
    const problems = [...found.filter((entry) => "reason" in entry), ...this.#notes];
    const isSame =
      areSame(skills, this.#scan.skills) &&
      JSON.stringify(problems) === JSON.stringify(this.#scan.problems);
    if (!isSame) this.#scan = { skills, problems };
    return this.#scan;
  }

  #forget(error: unknown): FolderScan {
    this.#stamp = undefined;
    this.#names = [];
    this.#known.clear();
    this.#notes = this.#notesOfAbsence(error);
    return this.#update();
  }

  #notesOfAbsence(error: unknown): readonly SkillProblem[] {
    const { dir: path, isNamed } = this.#source;
    const code = systemCodeOf(error);
    if (code !== "ENOENT" && code !== "ENOTDIR") return [{ path, reason: reasonOf(error) }];
    return isNamed === true
      ? [{ path, reason: "ADDITIONAL_SKILLS names a path that is not a folder" }]
      : [];
  }
}

function notesOf(dir: string, unusable: readonly string[], count: number): readonly SkillProblem[] {
  const notes = unusable.map((name) => ({
    path: join(dir, name.slice(0, 200)),
    reason: "its name cannot be the name of a skill: use lower-case letters, digits and hyphens",
  }));
  if (count <= skillsPerFolderMax) return notes;
  const reason = `${count} skills are too many: only the first ${skillsPerFolderMax} by name are used`;
  return [...notes, { path: dir, reason }];
}

function areSame(a: readonly Skill[], b: readonly Skill[]): boolean {
  return a.length === b.length && a.every((skill, at) => skill === b[at]);
}

function reasonOf(error: unknown): string {
  const code = systemCodeOf(error);
  if (code === "ENOENT" || (error instanceof AppError && error.code === "not_found")) {
    return "it has no SKILL.md";
  }
  if (error instanceof AppError) return error.message.replace(/\.$/, "");
  return `it cannot be read: ${code ?? messageOf(error)}`;
}

/**
 * One look at a time: a caller that asks during a look gets the next one, since the running one may have missed the
 * latest change. All waiting callers share it.
 */
export class FreshLook<T> {
  readonly #look: () => Promise<T>;
  #running: Promise<T> | undefined;
  #next: Promise<T> | undefined;

  /** @param look never rejects */
  constructor(look: () => Promise<T>) {
    this.#look = look;
  }

  take(): Promise<T> {
    if (this.#running === undefined) return this.#start();
    this.#next ??= this.#running.then(() => this.#start());
    return this.#next;
  }

  #start(): Promise<T> {
    this.#next = undefined;
    const running = this.#look().finally(() => {
      if (this.#running === running) this.#running = undefined;
    });
    this.#running = running;
    return running;
  }
}
