/**
 * How long 500 skills take to find and to list: the figures of docs/skills.md.
 *
 *     bun scripts/verify/skill-lists.ts [COUNT]
 *
 * Fails when a look at what has not changed takes more than 20 ms.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { skillToolDescription } from "../../src/skills/list-for-model.ts";
import { SkillLibrary } from "../../src/skills/skill-library.ts";

const count = Number(process.argv[2] ?? 500);
const warmMsMax = 20;
const home = mkdtempSync(join(tmpdir(), "scorpiox-skill-lists-"));

async function timed<T>(what: string, work: () => T | Promise<T>): Promise<number> {
  const startedAt = performance.now();
  await work();
  const tookMs = performance.now() - startedAt;
  console.log(`${what}: ${tookMs.toFixed(1)} ms`);
  return tookMs;
}

try {
  for (let number = 0; number < count; number++) {
    const dir = join(home, ".claude/skills", `skill-${number}`);
    mkdirSync(dir, { recursive: true });
    const text = `---\nname: skill-${number}\ndescription: Does thing ${number}. Use it when there is such a thing.\n---\nText.\n`;
    writeFileSync(join(dir, "SKILL.md"), text);
  }
  const isEnabled = (): boolean => true;
  const scorpioxDir = join(home, ".scorpiox");
  const library = new SkillLibrary({ homeDir: home, scorpioxDir, additional: [], isEnabled });
  const look = () => library.find(join(home, "work"));
  await timed(`first look at ${count} skills`, look);
  const warm: number[] = [];
  for (let round = 0; round < 10; round++) warm.push(await timed("later look", look));
  const { skills } = await look();
  await timed("description", () => skillToolDescription(skills));
  const slowest = Math.max(...warm);
  console.log(`slowest later look: ${slowest.toFixed(1)} ms, allowed: ${warmMsMax} ms`);
  process.exitCode = slowest <= warmMsMax ? 0 : 1;
} finally {
  rmSync(home, { recursive: true });
}
