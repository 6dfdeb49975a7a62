import type { ServerLaunch } from "../config/server-entry.ts";

/** Reads the command lines of programs that fetch and run packages. */

/** `npx` of `/usr/bin/npx` and of `C:\node\npx.cmd`. */
export function programOf(command: string): string {
  const name = command.split(/[\\/]/).at(-1) ?? command;
  return name.replace(/\.(?:cmd|exe|bat|ps1)$/i, "").toLowerCase();
}

/** Options whose value is the next argument. */
export const npmOptions: ReadonlySet<string> = wordSet(
  "-p --package -c --call -w --workspace --registry --cache --prefix --userconfig --loglevel",
);
export const pypiOptions: ReadonlySet<string> = wordSet(
  "--from --spec --with --with-editable --with-requirements --python -p --index-url --extra-index-url --index " +
    "--default-index --find-links --directory --cache-dir --pip-args --suffix",
);
export const imageOptions: ReadonlySet<string> = wordSet(
  "-a --attach --add-host -c --cpu-shares --cap-add --cap-drop --cidfile --cpus --device --dns -e --env --env-file " +
    "--entrypoint --expose --gpus -h --hostname --ip --ipc -l --label --link --log-driver --log-opt -m --memory " +
    "--mount --name --net --network --network-alias --pid --pids-limit --platform -p --publish --pull --restart " +
    "--runtime --security-opt --shm-size --stop-signal --stop-timeout --sysctl --tmpfs -u --user --ulimit --userns " +
    "-v --volume --volumes-from -w --workdir",
);

function wordSet(words: string): ReadonlySet<string> {
  return new Set(words.split(" "));
}

/** Arguments split before the first that is not an option. */
export interface SplitArguments {
  readonly options: readonly string[];
  readonly rest: readonly string[];
  /** A `--` separated them. */
  readonly isMarked: boolean;
}

/** @param withValue options whose value is the next argument */
export function splitArguments(
  args: readonly string[],
  withValue: ReadonlySet<string>,
): SplitArguments {
  for (let index = 0; index < args.length; index++) {
    const argument = args[index] ?? "";
    const isMarked = argument === "--";
    if (isMarked || !argument.startsWith("-")) {
      const rest = args.slice(isMarked ? index + 1 : index);
      return { options: args.slice(0, index), rest, isMarked };
    }
    if (withValue.has(argument)) index += 1;
  }
  return { options: args, rest: [], isMarked: false };
}

/** The values of an option that may be given several times, as `--name value` or `--name=value`. */
export function valuesOf(args: readonly string[], names: readonly string[]): readonly string[] {
  return args.flatMap((argument, index) => {
    if (names.includes(argument)) return args[index + 1] ?? [];
    const name = names.find((one) => one.startsWith("--") && argument.startsWith(`${one}=`));
    return name === undefined ? [] : argument.slice(name.length + 1);
  });
}

/** The arguments without the named options and their values. */
export function withoutOption(args: readonly string[], names: readonly string[]): string[] {
  return args.filter((argument, index) => {
    const isValue = names.includes(args[index - 1] ?? "");
    const isJoined = names.some((one) => one.startsWith("--") && argument.startsWith(`${one}=`));
    return !isValue && !isJoined && !names.includes(argument);
  });
}

/** The package that a runner starts. */
export interface RunnerPackage {
  readonly from: "npm" | "pypi" | "image";
  readonly name: string;
  /** Absent when any version may run. */
  readonly version?: string;
}

/** The package that a launch runs, when its command is a known package runner. */
export function packageOf(launch: ServerLaunch): RunnerPackage | undefined {
  if (launch.transport !== "stdio") return undefined;
  const words = [programOf(launch.command), ...launch.args];
  const known = launchers.find(({ command }) => command.every((word, at) => words[at] === word));
  return known?.find(words.slice(known.command.length));
}

interface Launcher {
  /** The first words of its command line. */
  readonly command: readonly string[];
  readonly find: (args: readonly string[]) => RunnerPackage | undefined;
}

const launchers: readonly Launcher[] = [
  ...launchersOf("npx, bunx, pnpx, npm exec, npm x, pnpm dlx, yarn dlx, bun x", npmPackage),
  ...launchersOf("uvx, uv tool run, pipx run", pypiPackage),
  ...launchersOf("docker run, podman run, nerdctl run, docker container run", image),
];

function launchersOf(commands: string, find: Launcher["find"]): Launcher[] {
  return commands.split(", ").map((command) => ({ command: command.split(" "), find }));
}

function npmPackage(args: readonly string[]): RunnerPackage | undefined {
  const spec = valuesOf(args, ["-p", "--package"])[0] ?? splitArguments(args, npmOptions).rest[0];
  const [, name, version] = /^(@?[^@]+)(?:@(.+))?$/.exec(spec ?? "") ?? [];
  // A folder, an address or a repository has no fixed version.
  if (name === undefined || /^[./~]|:/.test(name) || /:/.test(version ?? "")) return undefined;
  return { from: "npm", name, ...exact(version) };
}

function pypiPackage(args: readonly string[]): RunnerPackage | undefined {
  const spec = valuesOf(args, ["--from", "--spec"])[0] ?? splitArguments(args, pypiOptions).rest[0];
  const [, name, version] =
    /^([A-Za-z0-9][\w.-]*)(?:\[[^\]]*\])?(?:(?:==|@)(.+))?$/.exec(spec ?? "") ?? [];
  return name === undefined ? undefined : { from: "pypi", name, ...exact(version) };
}

function image(args: readonly string[]): RunnerPackage | undefined {
  const spec = splitArguments(args, imageOptions).rest[0];
  const [, name, tag, digest] =
    /^([^\s@]+?)(?::([\w][\w.-]*))?(?:@(sha256:[0-9a-f]{64}))?$/.exec(spec ?? "") ?? [];
  if (name === undefined) return undefined;
  const version = digest ?? (tag === "latest" ? undefined : tag);
  return { from: "image", name, ...(version === undefined ? {} : { version }) };
}

/** Keeps a version only if it names one release. */
function exact(version: string | undefined): { readonly version?: string } {
  return version !== undefined && /^v?\d+(?:\.\d+)+(?:[-+.\w]*)$/.test(version) ? { version } : {};
}
