import {
  imageOptions,
  npmOptions,
  programOf,
  pypiOptions,
  splitArguments,
  type SplitArguments,
  valuesOf,
  withoutOption,
} from "./runner-words.ts";

/** A command that fetches the package it runs, with the arguments that make it fetch without running. */
export interface RunnerCommand {
  /** Its name for people: `npx`, `docker run`. */
  readonly runner: string;
  /** The packages that it fetches, as the entry names them. */
  readonly packages: readonly string[];
  /** Arguments with which the same program only fetches. */
  readonly fetch: readonly string[];
  /** Arguments of a quick check that succeeds when the package is on this machine. */
  readonly look?: readonly string[];
  /** Output of a fetch that succeeded, although the command failed because it had nothing to run. */
  readonly fetchedWhenSaid?: string;
  /** The runner may fetch a different version at any start. */
  readonly isTagged?: boolean;
  /** For `npx` only: the package that it would run, where it can be started directly. */
  readonly npx?: NpxPackage;
}

/** One package of a registry, with the arguments of its program. */
export interface NpxPackage {
  /** As written. */
  readonly spec: string;
  readonly name: string;
  /** A range of versions; `*` for a name alone. */
  readonly range: string;
  readonly args: readonly string[];
}

/** `-c` runs it in a shell. It prints the environment, which shows where npm has put packages. */
const npmScript = process.platform === "win32" ? "set" : `node -p "JSON.stringify(process['env'])"`;

/** A runner's command line, split. */
interface Call extends SplitArguments {
  readonly runner: string;
  /** The runner's words after its program. */
  readonly subcommand: readonly string[];
}

type Read = (call: Call) => RunnerCommand | undefined;

interface Form {
  /** The words with which a command line of this form begins. */
  readonly words: readonly string[];
  /** Options whose value is the next argument. */
  readonly withValue: ReadonlySet<string>;
  readonly read: Read;
}

const forms: readonly Form[] = [
  ...formsOf("npx, npm exec, npm x", npmOptions, npm),
  ...formsOf("bunx, bun x", npmOptions, bun),
  ...formsOf("pnpx, pnpm dlx", npmOptions, pnpm),
  ...formsOf("yarn dlx", npmOptions, yarn),
  ...formsOf("uvx, uv tool run", pypiOptions, uv),
  ...formsOf("pipx run", pypiOptions, pipx),
  ...formsOf("docker run, podman run, nerdctl run", imageOptions, image),
];

function formsOf(runners: string, withValue: ReadonlySet<string>, read: Read): Form[] {
  return runners.split(", ").map((runner) => ({ words: runner.split(" "), withValue, read }));
}

/** Undefined for a command that fetches nothing, has an option against it, or is of an unknown form. */
export function readRunner(command: string, args: readonly string[]): RunnerCommand | undefined {
  const words = [programOf(command), ...args];
  const form = forms.find((one) => one.words.every((word, index) => words[index] === word));
  if (form === undefined) return undefined;
  const { words: begin, withValue, read } = form;
  const split = splitArguments(words.slice(begin.length), withValue);
  // For image runners, `-h` and `-n` have other meanings.
  if (withValue !== imageOptions && split.options.some((option) => refusals.has(option))) {
    return undefined;
  }
  return read({ ...split, runner: begin.join(" "), subcommand: begin.slice(1) });
}

/** Options that forbid fetching. */
const refusals = new Set([
  "--no",
  "-n",
  "--no-install",
  "--yes=false",
  "--offline",
  "--help",
  "-h",
]);

/** `npm exec --package=SPEC -c COMMAND` gets the same folder of `_npx` as `npx SPEC` (docs: npm-exec). */
function npm({ options, rest, isMarked, runner, subcommand }: Call): RunnerCommand | undefined {
  const named = valuesOf(options, ["-p", "--package"]);
  const isCall = valuesOf(options, ["-c", "--call"]).length > 0;
  const [spec, ...own] = rest;
  const packages = named.length > 0 ? named : isCall || spec === undefined ? [] : [spec];
  if (packages.length === 0) return undefined;
  const kept = withoutOption(options, ["-p", "--package", "-c", "--call"]);
  const wanted = packages.map((one) => `--package=${one}`);
  const fetch = [...subcommand, ...kept, "--loglevel=http", ...wanted, "-c", npmScript];
  // npm reads options after the package as its own; npx does not.
  const isPlain = runner === "npx" || isMarked || !own.some((arg) => arg.startsWith("-"));
  const isAlone = named.length === 0 && isPlain;
  const npx = isAlone && spec !== undefined ? npxPackage(spec, own) : undefined;
  return { runner, packages, fetch, ...(npx === undefined ? { isTagged: true } : { npx }) };
}

/** Undefined for tags, addresses, folders and other names of a package: only npm can resolve them. */
function npxPackage(spec: string, args: readonly string[]): NpxPackage | undefined {
  const found = /^((?:@[a-z0-9~][\w.~-]*\/)?[a-z0-9~][\w.~-]*)(?:@(.*))?$/i.exec(spec);
  const [, name, version = "*"] = found ?? [];
  if (name === undefined) return undefined;
  const isRange = /^[~^<>=v]*\s*\d[\w.+\-\s<>=|~^*]*$|^\*$|^x$/i.test(version);
  return isRange ? { spec, name, range: version, args } : undefined;
}

/** True for one exact version, as opposed to a range. */
export function isExactVersion(range: string): boolean {
  return /^=?v?\d+\.\d+\.\d+(?:[-+][\w.+-]+)?$/.test(range);
}

/** `bunx --package NAME COMMAND` (docs: bunx). */
function bun({ options, rest, runner, subcommand }: Call): RunnerCommand | undefined {
  const packages = ofOptionOr(options, ["-p", "--package"], rest);
  if (packages.length === 0) return undefined;
  const wanted = packages.map((one) => `--package=${one}`);
  return { runner, packages, fetch: [...subcommand, ...wanted, "node", "-e", "0"] };
}

/** `pnpm dlx --package=NAME COMMAND` (docs: pnpm dlx). */
function pnpm({ options, rest, runner, subcommand }: Call): RunnerCommand | undefined {
  const packages = ofOptionOr(options, ["--package"], rest);
  if (packages.length === 0) return undefined;
  const wanted = packages.map((one) => `--package=${one}`);
  const kept = withoutOption(options, ["--package", "-c", "--shell-mode"]);
  return { runner, packages, fetch: [...subcommand, ...kept, ...wanted, "node", "-e", "0"] };
}

/** `yarn dlx -p NAME COMMAND` (docs: yarn dlx) runs programs of the package only, once it has fetched that. */
function yarn({ options, rest, runner }: Call): RunnerCommand | undefined {
  const packages = ofOptionOr(options, ["-p", "--package"], rest);
  if (packages.length === 0) return undefined;
  const wanted = packages.flatMap((one) => ["-p", one]);
  const fetch = ["dlx", ...wanted, noProgram];
  return { runner, packages, fetch, fetchedWhenSaid: `Binary not found (${noProgram};` };
}

/** A program name that no package has. */
const noProgram = "scorpiox-code-fetches-only";

/** `uvx --from NAME python` (docs: uv, tools): the interpreter of the environment that was made for the tool. */
function uv({ options, rest, runner, subcommand }: Call): RunnerCommand | undefined {
  const packages = ofOptionOr(options, ["--from"], rest);
  const [spec] = packages;
  if (spec === undefined) return undefined;
  const from = spec.replace(/^([\w.-]+)@(\d[\w.!+-]*)$/, "$1==$2").replace(/@latest$/, "");
  const kept = withoutOption(options, ["--from"]);
  const fetch = [...subcommand, ...kept, "--from", from, "python", "-c", "0"];
  return { runner, packages: [spec], fetch };
}

/** `pipx run --spec NAME python` (docs: pipx run). */
function pipx({ options, rest, runner }: Call): RunnerCommand | undefined {
  const [spec] = ofOptionOr(options, ["--spec"], rest);
  if (spec === undefined) return undefined;
  const kept = withoutOption(options, ["--spec"]);
  return {
    runner,
    packages: [spec],
    fetch: ["run", ...kept, "--spec", spec, "python", "-c", "0"],
  };
}

function image({ options, rest, runner }: Call): RunnerCommand | undefined {
  const [name] = rest;
  const [pull = "missing"] = valuesOf(options, ["--pull"]);
  if (name === undefined || pull === "never") return undefined;
  const platform = valuesOf(options, ["--platform"]).flatMap((one) => ["--platform", one]);
  return {
    runner,
    packages: [name],
    fetch: ["pull", ...platform, name],
    ...(pull === "always" ? {} : { look: ["image", "inspect", "--format", "{{.Id}}", name] }),
  };
}

function ofOptionOr(
  options: readonly string[],
  names: readonly string[],
  rest: readonly string[],
): readonly string[] {
  const named = valuesOf(options, names);
  return named.length > 0 ? named : rest.slice(0, 1);
}
