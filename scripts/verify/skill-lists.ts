import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { skillToolDescription } from "../../src/state/skills/list-for-model.ts";
import { SkillLibrary } from "../../src/state/skills/skill-library.ts";
import type { Outcome } from "./outcome.ts";

const laterMsMax = 20;
const looks = 10;

/** How long `count` skills take to find and to list: the figures of docs/skills.md. */
export async function checkSkillLists(count: number): Promise<Outcome> {
  const home = mkdtempSync(join(tmpdir(), "scorpiox-skill-lists-"));
  try {
    writeSkills(home, count);
    const isEnabled = (): boolean => true;
    const scorpioxDir = join(home, ".scorpiox");
    const library = new SkillLibrary({ homeDir: home, scorpioxDir, additional: [], isEnabled });
    const look = () => library.find(join(home, "work"));
    const firstMs = await timed(look);
    const laterMs: number[] = [];
    for (let round = 0; round < looks; round++) laterMs.push(await timed(look));
    const { skills } = await look();
    const listMs = await timed(() => skillToolDescription(skills));
    const slowest = Math.max(...laterMs);
    return {
      name: "skills",
      passed: slowest <= laterMsMax && skills.length >= count,
      figures:
        `${skills.length} skills: first look ${firstMs.toFixed(1)} ms, later ones ` +
        `${Math.min(...laterMs).toFixed(1)}–${slowest.toFixed(1)} ms (allowed ${laterMsMax}), the list ${listMs.toFixed(1)} ms`,
      faults: slowest <= laterMsMax ? [] : [`a look at what has not changed took ${slowest} ms`],
    };
  } finally {
    rmSync(home, { recursive: true });
  }
}

function writeSkills(home: string, count: number): void {
  for (let number = 0; number < count; number++) {
    const dir = join(home, ".claude/skills", `skill-${number}`);
    mkdirSync(dir, { recursive: true });
    const text = `---\nname: skill-${number}\ndescription: Does thing ${number}. Use it when there is such a thing.\n---\nText.\n`;
    writeFileSync(join(dir, "SKILL.md"), text);
  }
}

async function timed(work: () => unknown): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
