import { resolve } from "node:path";
import { domainToUnicode } from "node:url";

import {
  baseNameOf,
  literalOf,
  type ShellReading,
  type SimpleCommand,
} from "../shell/shell-text.ts";
import { createGlob, type Glob, globMatches } from "./glob.ts";
import { literalMatches, type Surroundings, withHome } from "./match-command.ts";
import type { Rule, RuleAction } from "./rule.ts";

/** Every argument that the rule names is present and matches. */
export function hasArguments(
  { callArguments, action }: Rule,
  args: unknown,
  surroundings: Surroundings,
): boolean {
  return callArguments.every(([key, glob]) => {
    const atHome = withHome(glob, surroundings);
    return textsOf(args, key).some(
      (text) =>
        literalMatches(atHome, text, surroundings) || isAboutUrl(glob, text, action, surroundings),
    );
  });
}

/** An address may be written in many ways; a rule that allows applies to the same address only. */
function isAboutUrl(glob: Glob, text: string, action: RuleAction, { work }: Surroundings): boolean {
  const { same, near } = urlTextsOf(text);
  const texts = action === "allow" ? same : [...same, ...near];
  work.spend(texts.length * (10 + glob.pattern.length));
  return globMatchesUrl(glob, texts);
}

/** An argument as texts: one for each element of a list. */
export function textsOf(args: unknown, key: string): readonly string[] {
  if (typeof args !== "object" || args === null || !Object.hasOwn(args, key)) return [];
  const value: unknown = Reflect.get(args, key);
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.map((part) => (typeof part === "string" ? part : (JSON.stringify(part) ?? "")));
}

/** Spellings of an address that open the same page, or to which a rule against it applies as well. */
interface UrlTexts {
  /** The same address as programs write it: small letters, no usual port, a slash behind the host. */
  readonly same: readonly string[];
  /** Besides: without its port, user, fragment and the dot behind its host, and with nothing encoded. */
  readonly near: readonly string[];
}

const none: UrlTexts = { same: [], near: [] };

/** Of an argument that is a URL, blanks around it aside; none of all others. */
function urlTextsOf(text: string): UrlTexts {
  const url = text.includes(":") ? URL.parse(text.trim()) : null;
  if (url === null || url.host === "") return none;
  const bare = new URL(url.href);
  for (const part of ["hash", "username", "password"] as const) bare[part] = "";
  bare.hostname = bare.hostname.replace(/\.+$/, "");
  const near = [bare.href];
  bare.port = "";
  near.push(
    bare.href,
    bare.href.replace(bare.hostname, () => domainToUnicode(bare.hostname)),
  );
  near.push(...near.flatMap(decoded));
  return { same: withoutSlash([url.href]), near: withoutSlash(near) };
}

/** Whether a pattern is about one of them; its host may be in any letters. */
function globMatchesUrl(glob: Glob, texts: readonly string[]): boolean {
  if (texts.length === 0) return false;
  const written = /^([^:/]*:\/\/[^/]*)(.*)$/s.exec(glob.pattern);
  if (written === null) return texts.some((text) => globMatches(glob, text));
  const [, origin = "", rest = ""] = written;
  const usual = origin.toLowerCase().replace(/^(http:.*):80$|^(https:.*):443$/, "$1$2");
  const normal = createGlob(usual + rest);
  return texts.some((text) => globMatches(normal, text));
}

/** Those with nothing but a slash behind the host are written without it as well. */
function withoutSlash(texts: readonly string[]): readonly string[] {
  const bare = texts.filter((text) => /^[^/]*:\/\/[^/]*\/$/.test(text));
  return [...texts, ...bare.map((text) => text.slice(0, -1))];
}

function decoded(text: string): readonly string[] {
  try {
    return [decodeURIComponent(text)];
  } catch {
    return [];
  }
}

/** The target of relative paths is unknown after `cd "$x"`, and in programs that `env -C dir` starts. */
export function withFolders(reading: ShellReading | undefined): ShellReading | undefined {
  const { commands = [] } = reading ?? {};
  const isKnown = !commands.some(startsElsewhere) && !goesAnywhere(commands);
  if (reading === undefined || isKnown) return reading;
  return {
    ...reading,
    unknowns: [...reading.unknowns, "it goes to a folder that is known only when it runs"],
  };
}

export interface Folders {
  readonly folders: readonly string[];
  /** Why there may be more than these; undefined when these are all. */
  readonly missing: string | undefined;
}

/** Where relative paths may begin: the folder of the call, and those that the command goes to. */
export function foldersOf(
  commands: readonly SimpleCommand[],
  folder: string,
  homeDir: string,
): Folders {
  let folders = [folder];
  for (const target of commands.flatMap((command) => targetOf(command, homeDir))) {
    const next = folders.map((from) => resolve(from, target));
    folders = [...new Set([...folders, ...next])];
    if (folders.length > foldersMax) {
      const missing = "it goes to more folders than are looked at";
      return { folders: folders.slice(0, foldersMax), missing };
    }
  }
  return { folders, missing: undefined };
}

/** The argument of `cd`, if that is known. */
function targetOf({ words }: SimpleCommand, homeDir: string): readonly string[] {
  if (!changers.has(literalOf(words[0]))) return [];
  const target = literalOf(words.at(-1));
  if (words.length < 2) return [homeDir];
  return target === undefined ? [] : [target];
}

function goesAnywhere(commands: readonly SimpleCommand[]): boolean {
  const going = commands.filter(({ words }) => changers.has(literalOf(words[0])));
  if (going.length === 0) return false;
  // `cd` believes these two.
  return going.some(isUnknownTarget) || commands.some(setsFolders);
}

function isUnknownTarget({ words }: SimpleCommand): boolean {
  const target = words.length < 2 ? "" : literalOf(words.at(-1));
  if (target === undefined || target === "-") return true;
  return target.includes("..") && words.some((word) => /^-[A-Za-z]*P/.test(literalOf(word) ?? ""));
}

function setsFolders({ words, assignments }: SimpleCommand): boolean {
  return (
    assignments.some((name) => /^(?:OLDPWD|CDPATH)$/.test(name)) ||
    words.some(({ pieces }) => /^(?:OLDPWD|CDPATH)(?:\+?=|$)/.test(pieces[0] ?? ""))
  );
}

/** Programs that start another one in a folder of its own, and the option for it. */
const startsIn: Readonly<Record<string, RegExp>> = {
  env: /^(?:-[a-zA-Z0]*C|--chdir)/,
  sudo: /^(?:-[a-zA-Z]*[DRi]|--(?:chdir|chroot|login))/,
  chroot: /^/,
};

function startsElsewhere({ words }: SimpleCommand): boolean {
  const name = baseNameOf(literalOf(words[0]) ?? "");
  const literals = words.slice(1).map((word) => literalOf(word) ?? "");
  if (name === "find") return literals.some((word) => /^-(?:execdir|okdir)$/.test(word));
  const option = Object.hasOwn(startsIn, name) ? startsIn[name] : undefined;
  if (option === undefined) return false;
  // The options of the other program are its own.
  const end = literals.findIndex(
    (word, index) => !word.startsWith("-") && !/^-[a-zA-Z]$/.test(literals[index - 1] ?? ""),
  );
  return literals.slice(0, end < 0 ? undefined : end + 1).some((word) => option.test(word));
}

const changers: ReadonlySet<string | undefined> = new Set(["cd", "pushd"]);
/** More than that nobody goes to in one command; each word is looked for in each of them. */
const foldersMax = 16;
