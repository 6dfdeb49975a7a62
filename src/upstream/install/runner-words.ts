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
