import { literalOf, Unreadable, type Word } from "./shell-text.ts";

/** Of `set` and of shells: letters that leave alone how commands are read. Not `-H`, `-k` and `-i`. */
const letters = "abefhlmnprstuvxBCDEPTcoO";

/** For `-o` and `-O`: names that do so. Not history, histexpand, keyword, posix, expand_aliases. */
const names: Readonly<Record<"-o" | "-O", ReadonlySet<string>>> = {
  "-o": new Set(
    [
      "allexport braceexpand errexit errtrace functrace hashall ignoreeof monitor noclobber noexec noglob nolog",
      "notify nounset onecmd physical pipefail privileged verbose xtrace emacs vi",
    ].flatMap((all) => all.split(" ")),
  ),
  "-O": new Set(
    [
      "extglob globstar nullglob dotglob nocaseglob failglob lastpipe inherit_errexit huponexit checkwinsize",
      "cmdhist histappend sourcepath progcomp",
    ].flatMap((all) => all.split(" ")),
  ),
};

const longOptions: ReadonlySet<string> = new Set(
  "--login --noprofile --norc --noediting --verbose --restricted".split(" "),
);

/** `set`, behind whose options there are words of any kind. @throws Unreadable */
export function assertUsualSet(words: readonly Word[]): void {
  for (let at = 1; at < words.length; at++) {
    const word = literalOf(words[at]);
    if (word === undefined) throw changesReading("set");
    if (word === "-" || word === "--" || !/^[-+]/.test(word)) return;
    at += assertUsualOptions(words, at);
  }
}

/**
 * The word `at` of a shell or of `set`, which begins with a dash or a plus.
 * @returns how many words behind it are its values
 * @throws Unreadable when it changes how commands are read, or may do so
 */
export function assertUsualOptions(words: readonly Word[], at: number): number {
  const option = literalOf(words[at]) ?? "";
  if (option.startsWith("--")) {
    if (!longOptions.has(option)) throw changesReading(option);
    return 0;
  }
  let values = 0;
  for (const letter of option.slice(1)) {
    if (!letters.includes(letter)) throw changesReading(option);
    if (letter !== "o" && letter !== "O") continue;
    values++;
    const value = words[at + values];
    // Without a value it lists them.
    if (value !== undefined) assertUsualOption(value, `-${letter}`);
  }
  return values;
}

/** @throws Unreadable */
export function assertUsualOption(word: Word, kind: "-o" | "-O"): void {
  const name = literalOf(word);
  if (name === undefined || !names[kind].has(name)) throw changesReading(name ?? "an option");
}

function changesReading(what: string): Unreadable {
  return new Unreadable(`${what}, which changes how commands are read`);
}
