/** How much of what people write the reader of commands reads, and how long it takes for that. */
import { readShell } from "../../../src/calls/policy/shell/read-shell.ts";
import {
  ordinaryCommands,
  packageCommands,
  repositoryCommands,
  type UsualTexts,
} from "./usual-texts.ts";

export interface Share {
  readonly name: string;
  readonly read: number;
  readonly all: number;
  /** The others, each with what cannot be known of it. */
  readonly unread: readonly string[];
}

/** The ordinary commands together first, then the places where commands are found. */
export function shares(): readonly Share[] {
  const ordinary = ordinaryCommands();
  const together = { name: "ordinary commands", texts: ordinary.flatMap(({ texts }) => texts) };
  return [together, ...repositoryCommands(), packageCommands()].map(shareOf);
}

export function shareOf({ name, texts }: UsualTexts): Share {
  const unread = texts.flatMap((text) => {
    const { unknowns } = readShell(text, "/home/me");
    return unknowns.length === 0 ? [] : [`${text.slice(0, 200)}: ${unknowns.join("; ")}`];
  });
  return { name, read: texts.length - unread.length, all: texts.length, unread };
}

/** Microseconds for one of the ordinary commands, the best of some rounds. */
function readingMicroseconds(): number {
  const texts = ordinaryCommands().flatMap(({ texts: own }) => own);
  const rounds = Array.from({ length: 60 }, () => {
    const begunAt = performance.now();
    for (const text of texts) readShell(text, "/home/me");
    return ((performance.now() - begunAt) / texts.length) * 1000;
  });
  return Math.min(...rounds);
}

if (import.meta.main) {
  for (const { name, read, all, unread } of shares()) {
    console.log(`${name}: ${read} of ${all} read (${((100 * read) / all).toFixed(1)} %)`);
    for (const line of unread) console.log(`    ${line.replaceAll("\n", "\n    ")}`);
  }
  console.log(`${readingMicroseconds().toFixed(2)} µs for one of the ordinary commands`);
}
