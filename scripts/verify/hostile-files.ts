/** Damaged files of every kind that is read, many more than the test suite has: none crashes a reader or tells a secret. */
import { messageOf } from "../../src/base/errors.ts";
import { checkHostileTexts, readers } from "../../test/config/hostile-texts.ts";
import { type Outcome, seconds } from "./outcome.ts";

/** @param runs files of each kind */
export function checkHostileFiles(runs: number): Promise<Outcome> {
  const startedAt = performance.now();
  const faults = readers.flatMap((reader) => {
    try {
      checkHostileTexts(reader, runs);
      return [];
    } catch (error) {
      // With the seed, by which fast-check makes the same file again.
      return [`${reader.name}: ${messageOf(error).slice(0, 500)}`];
    }
  });
  const elapsed = seconds(performance.now() - startedAt);
  const figures = `${readers.length} kinds of files, ${runs} damaged ones of each, in ${elapsed}`;
  return Promise.resolve({ name: "damaged files", passed: faults.length === 0, figures, faults });
}
