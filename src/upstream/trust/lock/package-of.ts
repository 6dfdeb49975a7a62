import type { ServerLaunch } from "../../config/server-entry.ts";
import {
  imageOptions,
  npmOptions,
  programOf,
  pypiOptions,
  splitArguments,
  valuesOf,
} from "../../install/runner-words.ts";
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

function npmPackage(args: readonly string[]): LockedPackage | undefined {
  const spec = valuesOf(args, ["-p", "--package"])[0] ?? splitArguments(args, npmOptions).rest[0];
  const [, name, version] = /^(@?[^@]+)(?:@(.+))?$/.exec(spec ?? "") ?? [];
  // A folder, an address or a repository has no version that anybody keeps.
  if (name === undefined || /^[./~]|:/.test(name) || /:/.test(version ?? "")) return undefined;
  return { from: "npm", name, ...exact(version) };
}

function pypiPackage(args: readonly string[]): LockedPackage | undefined {
  const spec = valuesOf(args, ["--from", "--spec"])[0] ?? splitArguments(args, pypiOptions).rest[0];
  const [, name, version] =
    /^([A-Za-z0-9][\w.-]*)(?:\[[^\]]*\])?(?:(?:==|@)(.+))?$/.exec(spec ?? "") ?? [];
  return name === undefined ? undefined : { from: "pypi", name, ...exact(version) };
}

function image(args: readonly string[]): LockedPackage | undefined {
  const spec = splitArguments(args, imageOptions).rest[0];
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
