import { formatCount } from "../../../base/amount-text.ts";
import { AppError } from "../../../base/errors.ts";
import { taskQueryCharsMax, taskTextCharsMax } from "../../../base/limits.ts";
import { foldText } from "./word-match.ts";

/**
 * Line breaks and tabs are text; the rest of the controls (NUL and escape sequences too) would act on the program that
 * shows it.
 */
// eslint-disable-next-line no-control-regex
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/**
 * The text of a task or step as it is kept: whole characters, no controls, no blanks around it.
 * @throws AppError `usage` when nothing is left, `limit` when it is too long
 */
export function taskTextFrom(text: string): string {
  const kept = text.replaceAll("\r\n", "\n").toWellFormed().replaceAll(controls, "\uFFFD").trim();
  if (kept === "") throw new AppError("usage", "`text` is empty: say what to do.");
  if (kept.length <= taskTextCharsMax) return kept;
  const [length, max] = [kept.length, taskTextCharsMax].map(formatCount);
  throw new AppError(
    "limit",
    `\`text\` has ${length} characters; the limit for a task or step is ${max}. Put long text in a file and name the file.`,
  );
}

/**
 * The words that are looked for, made alike, each of them once.
 * @throws AppError `limit` when they are too long
 */
export function wordsFrom(words: readonly string[]): readonly string[] {
  const length = words.reduce((sum, word) => sum + word.length, 0);
  if (length <= taskQueryCharsMax) return [...new Set(words.map(foldText))];
  const [given, max] = [length, taskQueryCharsMax].map(formatCount);
  throw new AppError(
    "limit",
    `The search words have ${given} characters; the limit is ${max}. A few words are enough.`,
  );
}
