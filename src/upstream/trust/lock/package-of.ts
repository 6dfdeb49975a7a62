import type { ServerLaunch } from "../../server-entry.ts";
import type { LockedPackage } from "./project-lock.ts";

/** The package that a launch runs, when its command is one of the usual launchers of packages. */
export function packageOf(launch: ServerLaunch): LockedPackage | undefined {
  if (launch.transport !== "stdio") return undefined;
  const words = [programOf(launch.command), ...launch.args];
  for (const { command, find } of launchers) {
    if (command.every((word, index) => words[index] === word)) {
      return find(words.slice(command.length));
    }
  }
  return undefined;
}

interface Launcher {
  /** The words that it begins with. */
  readonly command: readonly string[];
  readonly find: (args: readonly string[]) => LockedPackage | undefined;
}

const launchers: readonly Launcher[] = [
  ...["npx", "bunx", "pnpx"].map((name) => ({ command: [name], find: npmPackage })),
  ...["npm exec", "npm x", "pnpm dlx", "yarn dlx", "bun x"].map((name) => ({
    command: name.split(" "),
    find: npmPackage,
  })),
  ...["uvx", "uv tool run", "pipx run"].map((name) => ({
    command: name.split(" "),
    find: pypiPackage,
  })),
  ...["docker run", "podman run", "nerdctl run", "docker container run"].map((name) => ({
    command: name.split(" "),
    find: image,
  })),
];

/** `npx` of `/usr/bin/npx` and of `C:\node\npx.cmd`. */
function programOf(command: string): string {
  const name = command.split(/[\\/]/).at(-1) ?? command;
  return name.replace(/\.(?:cmd|exe|bat)$/i, "").toLowerCase();
}

function npmPackage(args: readonly string[]): LockedPackage | undefined {
  const spec = optionOf(args, ["-p", "--package"]) ?? firstArgument(args, npmOptions);
  const [, name, version] = /^(@?[^@]+)(?:@(.+))?$/.exec(spec ?? "") ?? [];
  // A folder, an address or a repository has no version that anybody keeps.
  if (name === undefined || /^[./~]|:/.test(name) || /:/.test(version ?? "")) return undefined;
  return { from: "npm", name, ...exact(version) };
}

function pypiPackage(args: readonly string[]): LockedPackage | undefined {
  const spec = optionOf(args, ["--from", "--spec"]) ?? firstArgument(args, pypiOptions);
  const [, name, version] =
    /^([A-Za-z0-9][\w.-]*)(?:\[[^\]]*\])?(?:(?:==|@)(.+))?$/.exec(spec ?? "") ?? [];
  return name === undefined ? undefined : { from: "pypi", name, ...exact(version) };
}

function image(args: readonly string[]): LockedPackage | undefined {
  const spec = firstArgument(args, imageOptions);
  const [, name, tag, digest] =
    /^([^\s@]+?)(?::([\w][\w.-]*))?(?:@(sha256:[0-9a-f]{64}))?$/.exec(spec ?? "") ?? [];
  if (name === undefined) return undefined;
  const version = digest ?? (tag === "latest" ? undefined : tag);
  return { from: "image", name, ...(version === undefined ? {} : { version }) };
}

/** Only a version that names one release is one. */
function exact(version: string | undefined): { readonly version?: string } {
  return version !== undefined && /^v?\d+(?:\.\d+)+(?:[-+.\w]*)$/.test(version) ? { version } : {};
}

const npmOptions = new Set([
  "-c",
  "--call",
  "-w",
  "--workspace",
  "--registry",
  "--cache",
  "--prefix",
]);
const pypiOptions = new Set(["--with", "--python", "-p", "--index-url", "--index", "--directory"]);
const imageOptions = new Set(
  (
    "-a --attach --add-host -c --cpu-shares --cap-add --cap-drop --cpus --device --dns -e --env --env-file " +
    "--entrypoint --expose --gpus -h --hostname --ip --ipc -l --label --link --log-driver --log-opt -m --memory " +
    "--mount --name --net --network --pid --platform -p --publish --pull --restart --runtime --security-opt " +
    "--shm-size --stop-signal --stop-timeout --sysctl --tmpfs -u --user --ulimit --userns -v --volume " +
    "--volumes-from -w --workdir"
  ).split(" "),
);

function optionOf(args: readonly string[], names: readonly string[]): string | undefined {
  for (const [index, argument] of args.entries()) {
    if (names.includes(argument)) return args[index + 1];
    const name = names.find((one) => one.startsWith("--") && argument.startsWith(`${one}=`));
    if (name !== undefined) return argument.slice(name.length + 1);
  }
  return undefined;
}

/** @param withValue options whose value is the argument behind them */
function firstArgument(
  args: readonly string[],
  withValue: ReadonlySet<string>,
): string | undefined {
  for (let index = 0; index < args.length; index++) {
    const argument = args[index] ?? "";
    if (argument === "--") return args[index + 1];
    if (!argument.startsWith("-")) return argument;
    if (withValue.has(argument)) index += 1;
  }
  return undefined;
}
