import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { SkillLibrary, type SkillSet } from "../../../src/state/skills/skill-library.ts";

/** A home and a workspace of one test's own; gone with it. */
export class SkillTree implements Disposable {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), "scorpiox-skills-")));
  readonly home = this.folder("home");
  readonly workspace = this.folder("work");

  at(...names: string[]): string {
    return join(this.root, ...names);
  }

  folder(name: string): string {
    mkdirSync(this.at(name), { recursive: true });
    return this.at(name);
  }

  write(name: string, text: string | Uint8Array): string {
    const path = this.at(name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  }

  /** Makes a link at `name` that leads to `target`. */
  link(name: string, target: string): void {
    mkdirSync(dirname(this.at(name)), { recursive: true });
    symlinkSync(target, this.at(name));
  }

  /** A skill in order, in the skills folder `dir`. */
  skill(dir: string, name: string, description = `about ${name}`, body = `Do ${name}.`): string {
    const text = `---\nname: ${name}\ndescription: ${JSON.stringify(description)}\n---\n${body}\n`;
    return this.write(join(dir, name, "SKILL.md"), text);
  }

  library(additional: readonly string[] = [], hidden: readonly string[] = []): SkillLibrary {
    return new SkillLibrary({
      homeDir: this.home,
      scorpioxDir: join(this.home, ".scorpiox"),
      additional,
      isEnabled: (name) => !hidden.includes(name),
    });
  }

  /** The skills that one look finds. */
  find(): Promise<SkillSet> {
    return this.library().find(this.workspace);
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

/** `name: origin` of the skills that are not built in. */
export function foundIn({ skills }: SkillSet): string[] {
  return skills
    .filter(({ origin }) => origin !== "built-in")
    .map(({ name, origin }) => `${name}: ${origin}`);
}
