import { AppError } from "../base/errors.ts";
import { skillFilledCharsMax } from "../base/limits.ts";
import { splitWords } from "./split-words.ts";

/** `$1` to `$9`. */
const wordsMax = 9;

/**
 * The text of a skill with its arguments: `$ARGUMENTS` is all of them as written, `$1` to `$9` the words of them, nothing
 * where there are fewer. What is put in is not looked at again, so an argument cannot bring in placeholders. Without a
 * placeholder the arguments become the last line.
 * @param given null or blank: none; placeholders vanish
 * @throws AppError `limit` when that makes more than `skillFilledCharsMax` characters
 */
export function fillArguments(body: string, given: string | null): string {
  const all = given?.trim() ?? "";
  const budget = new Budget(body.length + all.length);
  const words = splitWords(all, wordsMax);
  let hasPlaceholder = false;
  // `$10` and `$1.50` are amounts of money, not arguments.
  const filled = body.replaceAll(
    /\$ARGUMENTS\b|\$([1-9])(?![\d\w]|[.,]\d)/g,
    (_, digit?: string) => {
      hasPlaceholder = true;
      const text = digit === undefined ? all : (words[Number(digit) - 1] ?? "");
      budget.take(text.length);
      return text;
    },
  );
  if (hasPlaceholder || all === "") return filled;
  return `${filled.trimEnd()}\n\nARGUMENTS: ${all}\n`;
}

/** A text of few lines and long arguments would make one of gigabytes. */
class Budget {
  #left = skillFilledCharsMax;

  constructor(taken: number) {
    this.take(taken);
  }

  take(chars: number): void {
    this.#left -= chars;
    if (this.#left >= 0) return;
    throw new AppError(
      "limit",
      `With its arguments filled in the skill has more than ${skillFilledCharsMax} characters. Give shorter arguments, or the path of a file that holds them.`,
    );
  }
}
