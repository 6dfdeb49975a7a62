import { literalOf, type Word } from "./shell-command.ts";
import { Unreadable } from "./shell-text.ts";
import type { Wrapper } from "./wrappers.ts";

/** What a wrapper is told about the program that it starts. */
export interface Wrapped {
  /** The program and its arguments; empty when it starts none. */
  readonly words: readonly Word[];
  readonly assignments: readonly string[];
}

/** Finds the other program among the words of a wrapper. @throws Unreadable when it may be another one */
export function wrappedWords(words: readonly Word[], wrapper: Wrapper): Wrapped {
  const none: Wrapped = { words: [], assignments: [] };
  const assignments: string[] = [];
  let at = 1;
  for (; at < words.length; at++) {
    const option = optionOf(words[at]);
    if (option === undefined) throw new Unreadable("options that are known only when it runs");
    if (option === "--") {
      at++;
      break;
    }
    if (!option.startsWith("-") || option === "-") break;
    if (showsOnly(option, wrapper)) return none;
    if (takesNext(option, wrapper)) assertOneWord(words[++at]);
  }
  if (wrapper.takesDash === true && literalOf(words[at]) === "-") at++;
  for (; wrapper.takesVariables === true && at < words.length; at++) {
    // Whatever has an equals sign is one, its name may be none for a shell.
    const name = /^([^=]*)=/.exec(words[at]?.pieces[0] ?? "")?.[1];
    if (name === undefined) break;
    assertOneWord(words[at]);
    assignments.push(name);
  }
  for (const end = at + (wrapper.operands ?? 0); at < end; at++) assertOneWord(words[at]);
  return { words: words.slice(at), assignments };
}

/** Of none or several the words behind it are others than they seem: `env -u $x nice ls` may start `ls`. */
function assertOneWord(word: Word | undefined): void {
  if (word?.isMany === true) throw new Unreadable("arguments that are known only when it runs");
}

/** A word that is only known to be no option counts as one that is none. */
function optionOf(word: Word | undefined): string | undefined {
  const [first = ""] = word?.pieces ?? [];
  const isOperand = word?.isMany === false && first !== "" && !first.startsWith("-");
  return isOperand ? first : literalOf(word);
}

function showsOnly(option: string, { onlyShows = "" }: Wrapper): boolean {
  if (option.startsWith("--")) return false;
  return onlyShows.split("").some((letter) => option.includes(letter));
}

/** Whether the word after this option is its value. */
function takesNext(option: string, wrapper: Wrapper): boolean {
  if (option.startsWith("--")) return longTakesNext(option.slice(2), wrapper);
  if (wrapper.takesNumbers === true && /^-\d+$/.test(option)) return false;
  for (let index = 1; index < option.length; index++) {
    const letter = option.charAt(index);
    // The rest of the word is the value, if there is a rest.
    if (wrapper.valued.includes(letter)) return index === option.length - 1;
    if (!wrapper.flags.includes(letter))
      throw new Unreadable(`an option that is not known: ${option}`);
  }
  return false;
}

function longTakesNext(written: string, { longFlags = [], longValued = [] }: Wrapper): boolean {
  const equals = written.indexOf("=");
  const name = equals < 0 ? written : written.slice(0, equals);
  if (longValued.includes(name)) return equals < 0;
  if (longFlags.includes(name)) return false;
  throw new Unreadable(`an option that is not known: --${name}`);
}
