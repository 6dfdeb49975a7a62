import { splitWords } from "./split-words.ts";

/**
 * The text of a skill with its arguments: `$ARGUMENTS` is all of them as written, `$1` to `$9` the words of them, nothing
 * where there are fewer. What is put in is not looked at again, so an argument cannot bring in placeholders. Without a
 * placeholder the arguments become the last line.
 * @param given null or blank: none; placeholders vanish
 */
export function fillArguments(body: string, given: string | null): string {
  const all = given?.trim() ?? "";
  const words = splitWords(all);
  let hasPlaceholder = false;
  // `$10` and `$1.50` are amounts of money, not arguments.
  const filled = body.replaceAll(
    /\$ARGUMENTS\b|\$([1-9])(?![\d\w]|[.,]\d)/g,
    (_, digit?: string) => {
      hasPlaceholder = true;
      return digit === undefined ? all : (words[Number(digit) - 1] ?? "");
    },
  );
  if (hasPlaceholder || all === "") return filled;
  return `${filled.trimEnd()}\n\nARGUMENTS: ${all}\n`;
}
