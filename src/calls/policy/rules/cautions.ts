import { product } from "../../../base/product.ts";
import { baseNameOf, literalOf, type SimpleCommand, type Word } from "../shell/shell-text.ts";
import { shells } from "../shell/wrappers.ts";

/** The name under which the built-in list acts as a rule. */
export const cautionRule = "built-in caution";

const cautions = {
  disk: "it overwrites a disk",
  fileSystem: "it makes a new file system",
  folder: "it deletes a whole system or home folder",
  mode: "it changes who may use a whole system or home folder",
  rules: "it changes the rules and settings themselves",
  keys: "it writes below ~/.ssh",
  download: "it runs what it has just downloaded",
  history: "it overwrites the history of a remote repository",
} as const;

/** The worst first: the most destructive, then those that open access, then those that can be repaired. */
const worstFirst: readonly string[] = Object.values(cautions);

/** Larger for a worse caution; more than 0 for every caution. */
export function gravityOf(caution: string): number {
  return worstFirst.length - worstFirst.indexOf(caution);
}

/**
 * Why a command is asked about although no rule says so: it is on the short list of things that are rarely meant and
 * cannot be undone. All reasons; none for most commands. A seat belt, not a boundary: there are many other ways to do the
 * same.
 * @param homeDir of the user
 */
export function cautionsAbout(command: SimpleCommand, homeDir: string): readonly string[] {
  const name = baseNameOf(literalOf(command.words[0]) ?? "");
  const found = [
    ...aboutRedirects(command, homeDir),
    aboutPipe(command, name),
    aboutProgram(command, name, homeDir),
  ].filter((about) => about !== undefined);
  return found.length < 2 ? found : [...new Set(found)];
}

function aboutProgram({ words }: SimpleCommand, name: string, homeDir: string): string | undefined {
  if (name.startsWith("mkfs"))
    return /^mkfs(?:\.\w+)?$/.test(name) ? cautions.fileSystem : undefined;
  const isOwn = name.startsWith(product.name);
  const about = Object.hasOwn(byProgram, name) ? byProgram[name] : undefined;
  if (about === undefined && !isOwn) return undefined;
  const args = words.slice(1);
  const called = { args, literals: args.map((word) => literalOf(word) ?? ""), homeDir };
  return isOwn ? aboutOwnCommand(called) : about?.(called);
}

interface Called {
  readonly args: readonly Word[];
  /** Empty in the place of arguments that are not known. */
  readonly literals: readonly string[];
  readonly homeDir: string;
}

const byProgram: Readonly<Record<string, (called: Called) => string | undefined>> = {
  rm: (called) =>
    hasFlag(called.literals, "rR", "recursive") && hitsRoot(called)
      ? cautions.folder
      : aboutChange(called),
  unlink: aboutChange,
  truncate: aboutChange,
  sed: aboutInPlace,
  perl: aboutInPlace,
  chmod: aboutMode,
  chown: aboutMode,
  chgrp: aboutMode,
  dd: ({ literals }) =>
    literals.some((word) => isDevice(word.replace(/^of=/, "")) && word.startsWith("of="))
      ? cautions.disk
      : undefined,
  shred: ({ literals }) => (literals.some(isDevice) ? cautions.disk : undefined),
  wipefs: ({ literals }) => (literals.some(isDevice) ? cautions.disk : undefined),
  git: aboutGit,
  tee: aboutTee,
  cp: aboutCopy,
  mv: (called) => aboutCopy(called) ?? aboutChange(called),
  install: aboutCopy,
  ln: aboutCopy,
};

const noCautions: readonly string[] = [];

function aboutRedirects({ redirects }: SimpleCommand, homeDir: string): readonly string[] {
  // Nearly no command has any.
  if (redirects.length === 0) return noCautions;
  return redirects.flatMap(({ kind, target }) => {
    if (kind !== "write") return [];
    const disk = isDevice(literalOf(target) ?? "") ? cautions.disk : undefined;
    return aboutTarget(target, homeDir) ?? disk ?? [];
  });
}

function aboutPipe({ fedBy, words }: SimpleCommand, name: string): string | undefined {
  if (!shells.has(name) || !fedBy.some((program) => program === "curl" || program === "wget"))
    return undefined;
  // With a file or a text to run, the input is data.
  const readsInput = words.slice(1).every((word) => /^-(?!\w*c)|^-$/.test(literalOf(word) ?? "-"));
  const saysSo = words.some((word) => literalOf(word) === "-s");
  return readsInput || saysSo ? cautions.download : undefined;
}

function aboutMode(called: Called): string | undefined {
  const isDeep = hasFlag(called.literals, "R", "recursive");
  return isDeep && hitsRoot(called) ? cautions.mode : undefined;
}

function aboutGit({ literals }: Called): string | undefined {
  const at = literals.indexOf("push");
  if (at < 0) return undefined;
  // `-C dir`, `-c name=value` may come before it; other words mean that it is not a subcommand.
  const isSubcommand = literals
    .slice(0, at)
    .every((word, index) => word.startsWith("-") || /^-[Cc]$/.test(literals[index - 1] ?? ""));
  const rest = literals.slice(at + 1);
  const forces = rest.some(
    (word) => word === "--force" || /^-[a-zA-Z]*f/.test(word) || /^\+./.test(word),
  );
  return isSubcommand && forces ? cautions.history : undefined;
}

function aboutTee({ args, homeDir }: Called): string | undefined {
  return args.map((word) => aboutTarget(word, homeDir)).find((about) => about !== undefined);
}

function aboutCopy({ args, homeDir }: Called): string | undefined {
  const target = args.at(-1);
  return args.length > 1 && target !== undefined ? aboutTarget(target, homeDir) : undefined;
}

/** The effect of writing this file, if it is one of those that decide permissions. */
function aboutTarget({ pieces }: Word, homeDir: string): string | undefined {
  const [known = ""] = pieces;
  if (homeDir === "" || !known.startsWith(`${homeDir}/.`)) return undefined;
  const below = known.slice(homeDir.length + 1);
  if (/^\.ssh(?:\/|$)/.test(below)) return cautions.keys;
  return ownFiles.test(below) ? cautions.rules : undefined;
}

/** Files below the home folder that decide which commands may run. */
const ownFiles =
  /^\.(?:scorpiox\/(?:(?:policy\.jsonc|config\.toml|http\.toml|http-tokens?(?:\.json)?|mcp_servers\.json|trust\.json)$|scorpiox-env[^/]*$|(?:approved-hooks|hooks|installs|workspaces|secrets)(?:\/|$))|claude\/scorpiox-env[^/]*$)/;

/** Any of them taken away or changed in its place, as any argument. */
function aboutChange({ args, homeDir }: Called): string | undefined {
  return args.some((word) => aboutTarget(word, homeDir) === cautions.rules)
    ? cautions.rules
    : undefined;
}

function aboutInPlace(called: Called): string | undefined {
  return hasFlag(called.literals, "i", "in-place") ? aboutChange(called) : undefined;
}

/** `mcp approve` and the like, which refuse below a server too; also words that may turn out to be one. */
function aboutOwnCommand({ args }: Called): string | undefined {
  const words = args.map(literalOf).filter((word) => word?.startsWith("-") !== true);
  const [first, second = words.length > 1 ? "?" : ""] = words;
  const name = words.length > 0 && first === undefined ? "?" : `${first ?? ""} ${second}`;
  return ownCommands.test(name) ? cautions.rules : undefined;
}

/** A question mark is a word that only the shell knows. */
const ownCommands =
  /^(?:\?$|(?:attach|install|undo|uninstall|update) |(?:bg|config|profile|hooks|hub|mcp|token) \?$|config (?:set|remove|unset)$|profile (?:use|off)$|hooks (?:approve|revoke)$|hub stop$|token (?:add|revoke|rotate)$|bg (?:kill|read)$|mcp (?:add|add-json|approve|import|lock|login|logout|remove|rm|secrets)$)/;

function isDevice(path: string): boolean {
  return /^\/dev\/(?:sd|hd|vd|xvd|nvme|mmcblk|disk|rdisk|dm-|md|mapper\/)/.test(path);
}

/** One of `letters` among short options, or the long one. */
function hasFlag(literals: readonly string[], letters: string, long: string): boolean {
  const short = new RegExp(`^-[A-Za-z]*[${letters}]`);
  return literals.some((word) => word === `--${long}` || short.test(word));
}

/** Folders of which nobody deletes everything on purpose; also all that is in them. */
function hitsRoot({ args, homeDir }: Called): boolean {
  return args.some(({ pieces, isMany }) => {
    const [first = "", second] = pieces;
    const isWhole = pieces.length === 1 && !isMany;
    const isAllIn = pieces.length === 2 && second === "" && first.endsWith("/") && isMany;
    if (!isWhole && !isAllIn) return false;
    const path = first.replace(/\/+\.?$/, "").replaceAll(/\/+/g, "/");
    if (path === "") return first.startsWith("/");
    return path === homeDir || systemFolders.test(path);
  });
}

const systemFolders =
  /^\/(?:bin|boot|dev|etc|home|lib|lib32|lib64|opt|proc|root|sbin|sys|usr|var|Applications|Library|System|Users|Volumes|[A-Za-z])$/;
