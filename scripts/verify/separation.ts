/**
 * Two people of one server: B looks for what A and the server have, with commands and with every other tool. Nothing is found;
 * the same looks without a sandbox find it, which shows that they can.
 */
import { attempts, isFound } from "../../test/e2e/harness/separation/attempts.ts";
import { SeparationYard } from "../../test/e2e/harness/separation/yard.ts";
import type { Outcome } from "./outcome.ts";

const nobody = 65_534;
/** Of the looks that can find something without a sandbox, so many at least do. */
const foundShareMin = 0.9;

type Row = [name: string, result: string, figure: string];

export async function checkSeparation(): Promise<Outcome> {
  const isRoot = process.getuid?.() === 0;
  const faults: string[] = [];
  const details: Row[] = [];
  for (const uid of isRoot ? [undefined, nobody] : [undefined]) {
    const who = uid === undefined ? (isRoot ? "root" : "user") : "nobody";
    const apart = await found([], uid);
    faults.push(...apart.map((thing) => `${who}: found ${thing}`));
    details.push([
      `B looks for what A and the server have, ${who}`,
      apart.length === 0 ? "pass" : "FAIL",
      `${attempts.length} things looked for, ${apart.length} found`,
    ]);
    const open = await found(["--commands", "trusted"], uid);
    const possible = attempts.filter(({ isAlwaysHeld }) => isAlwaysHeld !== true);
    const isEnough = open.length >= possible.length * foundShareMin;
    if (!isEnough) faults.push(`${who}: without a sandbox only ${open.length} were found`);
    const missed = possible.filter(({ thing }) => !open.includes(thing));
    const but = missed.length === 0 ? "" : `; not ${missed.map(({ thing }) => thing).join(", ")}`;
    details.push([
      `the same with commands = trusted, ${who}`,
      isEnough ? "pass" : "FAIL",
      `${open.length} of the ${possible.length} that commands can reach were found${but}`,
    ]);
  }
  const figures = details.map(([name, , figure]) => `${name}: ${figure}`).join("; ");
  return { name: "separation", passed: faults.length === 0, figures, faults, details };
}

/** The things that B found. */
async function found(args: readonly string[], uid: number | undefined): Promise<string[]> {
  await using yard = new SeparationYard({ args, ...(uid === undefined ? {} : { uid }) });
  await yard.start();
  const left = await yard.work();
  const things: string[] = [];
  for (const attempt of attempts) {
    if (await isFound(attempt, yard, left)) things.push(attempt.thing);
  }
  return things;
}
