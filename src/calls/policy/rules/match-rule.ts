import { literalOf, type SimpleCommand, type Word } from "../shell/shell-text.ts";
import {
  createGlob,
  type Glob,
  globMatches,
  globMatchesUrl,
  globMayMatch,
  isPathGlob,
  urlTextsOf,
} from "./glob.ts";
import type { PathFacts } from "./path-facts.ts";
import {
  type CommandMatch,
  type JudgedCall,
  type Rule,
  type RuleAction,
  type RuleWork,
  textsOf,
} from "./rule.ts";

/** `maybe`: it depends on values that are known only when the command runs. */
export type Certainty = "no" | "maybe" | "yes";

export interface Surroundings {
  readonly facts: PathFacts;
  readonly homeDir: string;
  /** `RM` is `rm` for the file systems of macOS and Windows. */
  readonly ignoresCase: boolean;
  readonly work: RuleWork;
}

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

/** Whether a rule is about this program; `yes` only when all parts of it say so. */
export function matchCommand(
  match: CommandMatch,
  command: SimpleCommand,
  surroundings: Surroundings,
): Certainty {
  const { program, args, has, writes } = match;
  surroundings.work.spend(commandCost + globCost * (program?.length ?? 0));
  const rest = command.words.slice(1);
  const results: Certainty[] = [];
  if (program !== undefined) results.push(matchProgram(program, command.words[0], surroundings));
  if (results[0] === "no") return "no";
  if (args !== undefined) results.push(matchFirst(args, rest, surroundings));
  if (results.includes("no")) return "no";
  if (has !== undefined) results.push(matchAll(has, rest, surroundings));
  if (writes !== undefined) results.push(matchWrites(writes, command, surroundings));
  return weakest(results);
}

/** Whether an allowing rule says so of the whole command, its redirections and variables included. */
export function isAllowedBy(
  match: CommandMatch,
  command: SimpleCommand,
  surroundings: Surroundings,
): boolean {
  if (matchCommand(match, command, surroundings) !== "yes") return false;
  if (match.program !== undefined && !isPlainName(command.words[0], match.program)) return false;
  return (
    !command.assignments.some(isPowerful) && writesOnly(match.writes ?? [], command, surroundings)
  );
}

/** `./git` is not the git that was allowed, whatever its name. */
function isPlainName(word: Word | undefined, program: readonly Glob[]): boolean {
  const name = literalOf(word) ?? "";
  return !/[/\\]/.test(name) || program.some(({ pattern }) => pattern.includes("/"));
}

/** A command that needs no allowing: it writes no file and sets nothing that decides what others do. */
export function isHarmless(command: SimpleCommand, surroundings: Surroundings): boolean {
  // By convention variables of programs are written in capitals; others are the command's own.
  const sets = command.assignments.filter(
    (name) => command.words.length > 0 || /^[A-Z]/.test(name),
  );
  return !sets.some(isPowerful) && writesOnly([], command, surroundings);
}

/** Variables decide what programs load and start, but for these. */
function isPowerful(name: string): boolean {
  return !/^(?:LANG|LC_\w+|TZ|TERM|NO_COLOR|FORCE_COLOR|CI|NODE_ENV|COLUMNS|LINES)$/.test(name);
}

function writesOnly(
  allowed: readonly Glob[],
  { redirects }: SimpleCommand,
  surroundings: Surroundings,
): boolean {
  return redirects
    .filter(({ kind }) => kind === "write")
    .every(({ target }) => {
      if (literalOf(target) === "/dev/null") return true;
      return allowed.some((glob) => matchWord(glob, target, surroundings) === "yes");
    });
}

function matchProgram(
  globs: readonly Glob[],
  word: Word | undefined,
  surroundings: Surroundings,
): Certainty {
  if (word === undefined) return "no";
  const name = literalOf(word);
  if (name === undefined) return "maybe";
  const { paths, names } = surroundings.facts.programOf(name);
  const isMeant = (glob: Glob): boolean => {
    if (!/[/~]/.test(glob.pattern))
      return names.some((base) => matchesFile(glob, base, surroundings));
    const atHome = withHome(glob, surroundings);
    return [name, ...paths].some((path) => matchesFile(atHome, path, surroundings));
  };
  return globs.some(isMeant) ? "yes" : "no";
}

function matchesFile(glob: Glob, path: string, { ignoresCase }: Surroundings): boolean {
  if (!ignoresCase) return globMatches(glob, path);
  return globMatches(createGlob(glob.pattern.toLowerCase()), path.toLowerCase());
}

/** The first words; from one on that may be several, nothing is sure. */
function matchFirst(
  globs: readonly Glob[],
  words: readonly Word[],
  surroundings: Surroundings,
): Certainty {
  const results: Certainty[] = [];
  for (const [index, glob] of globs.entries()) {
    const word = words[index];
    if (word === undefined) return "no";
    if (word.isMany) return weakest([...results, "maybe"]);
    results.push(matchWord(glob, word, surroundings));
  }
  return weakest(results);
}

function matchAll(
  globs: readonly Glob[],
  words: readonly Word[],
  surroundings: Surroundings,
): Certainty {
  return weakest(
    globs.map((glob) => strongest(words.map((word) => matchWord(glob, word, surroundings)))),
  );
}

function matchWrites(
  globs: readonly Glob[],
  { redirects }: SimpleCommand,
  surroundings: Surroundings,
): Certainty {
  const targets = redirects.filter(({ kind }) => kind === "write").map(({ target }) => target);
  return strongest(
    globs.flatMap((glob) => targets.map((target) => matchWord(glob, target, surroundings))),
  );
}

function matchWord(written: Glob, word: Word, surroundings: Surroundings): Certainty {
  const glob = withHome(written, surroundings);
  const literal = literalOf(word);
  if (literal === undefined) {
    surroundings.work.spend(mayMatchCost(glob, word));
    return globMayMatch(glob, word) ? "maybe" : "no";
  }
  return literalMatches(glob, literal, surroundings) ? "yes" : "no";
}

/** Patterns with a slash are about paths too, wherever links lead; also about that of `--option=path`. */
function literalMatches(glob: Glob, literal: string, surroundings: Surroundings): boolean {
  surroundings.work.spend(matchCost(glob, literal));
  if (globMatches(glob, literal)) return true;
  if (!isPathGlob(glob)) return false;
  return candidatePaths(literal).some((path) =>
    surroundings.facts.pathsOf(path).some((real) => {
      surroundings.work.spend(matchCost(glob, real));
      return matchesFile(glob, real, surroundings);
    }),
  );
}

/** In units of `RuleWork`, as measured. */
const commandCost = 30;
const globCost = 10;

/** Texts between stars are searched for; with a `?` that is done character by character. */
function matchCost({ pattern }: Glob, text: string): number {
  const isSlow = pattern.includes("?") && pattern.includes("*");
  return globCost + (isSlow ? text.length * pattern.length : text.length / 64);
}

function mayMatchCost({ pattern }: Glob, { pieces }: Word): number {
  return 3 * pattern.length * (pieces.join("").length + pieces.length);
}

/** The parts of a word that may be a path. */
function candidatePaths(literal: string): readonly string[] {
  const equals = literal.indexOf("=");
  return equals < 0 ? [literal] : [literal, literal.slice(equals + 1)];
}

export function wordsOf(commands: readonly SimpleCommand[], { args }: JudgedCall): string[] {
  const words = commands.flatMap(({ words: all, redirects }) => [
    ...redirects.map(({ target }) => target),
    ...all.slice(1),
  ]);
  const literals = words.flatMap((word) => literalOf(word) ?? []);
  const keys = typeof args === "object" && args !== null ? Object.keys(args) : [];
  return [...literals, ...keys.flatMap((key) => textsOf(args, key))].flatMap(candidatePaths);
}

function withHome(glob: Glob, { homeDir }: Pick<Surroundings, "homeDir">): Glob {
  const { pattern, parts } = glob;
  if (pattern !== "~" && !pattern.startsWith("~/")) return glob;
  const [first = "", ...rest] = parts;
  return { pattern: homeDir + pattern.slice(1), parts: [homeDir + first.slice(1), ...rest] };
}

function weakest(results: readonly Certainty[]): Certainty {
  if (results.includes("no")) return "no";
  return results.includes("maybe") ? "maybe" : "yes";
}

function strongest(results: readonly Certainty[]): Certainty {
  if (results.includes("yes")) return "yes";
  return results.includes("maybe") ? "maybe" : "no";
}
