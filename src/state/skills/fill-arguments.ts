import { AppError } from "../../base/errors.ts";
import { skillFilledCharsMax } from "../../base/limits.ts";
import { placeholdersIn, type Placeholder } from "./placeholders.ts";
import { splitWords } from "./split-words.ts";

/** A text that numbers its words from 0 has a digit for ten of them. */
const wordsMax = 10;

/**
 * The text of a skill with its arguments: `$ARGUMENTS` is all of them as written, at any place; `$1` to `$9` are the
 * words of them. In code `$1` is mostly a field of awk or an argument of a script, so there it is filled in only when
 * the skill nowhere uses `$ARGUMENTS` or names its arguments. The inserted text is not looked at again, so an argument
 * cannot bring in placeholders. When nothing could be filled in, the arguments become the last line.
 * @param given null or blank: none; the text stays as it is
 * @param names of the skill's positional arguments, in their order: `$file` is then filled in, too
 * @throws AppError `limit` when that makes more than `skillFilledCharsMax` characters
 */
export function fillArguments(
  body: string,
  given: string | null,
  names: readonly string[] = [],
): string {
  const all = given?.trim() ?? "";
  const budget = new Budget(body.length + all.length);
  if (all === "") return body;
  const words = splitWords(all, Math.max(wordsMax, names.length));
  const marks = placeholdersIn(body, names);
  const fillsCode =
    names.length > 0 || !marks.some(({ kind }) => kind === "all" || kind === "indexed");
  // In prose `$0` can only be the first word: such a skill numbers them from 0, as Claude Code does.
  const first = marks.some(
    ({ kind, number, isCode }) => kind === "digit" && number === 0 && !isCode,
  )
    ? 0
    : 1;

  /** A word that was not given keeps its placeholder, which shows that it is missing. */
  function textFor({ kind, number, isCode }: Placeholder): string | undefined {
    if (kind === "all") return all;
    if (kind !== "digit") return words[number];
    return number < first || (isCode && !fillsCode) ? undefined : words[number - first];
  }

  let filled = "";
  let done = 0;
  for (const mark of marks) {
    const text = textFor(mark);
    if (text === undefined) continue;
    budget.take(text.length);
    filled += body.slice(done, mark.start) + text;
    done = mark.end;
  }
  if (done === 0) return `${body.trimEnd()}\n\nARGUMENTS: ${all}\n`;
  return filled + body.slice(done);
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
      `With its arguments filled in, the skill has more than ${skillFilledCharsMax} characters. Pass shorter arguments, or the path of a file that contains them.`,
    );
  }
}
