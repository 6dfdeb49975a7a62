import { AppError } from "../../base/errors.ts";

/**
 * What a batch file cannot be given safely: `cmd.exe`, which runs it, ends a quoted text at `"`, replaces `%NAME%` even
 * within quotes, `!NAME!` where that is switched on, and ends the command at a line break.
 */
// eslint-disable-next-line no-control-regex -- control characters are what is refused
const unquotable = /["%!\u0000-\u001f]/;

/** True for what Windows runs through `cmd.exe`. */
export function isBatchFile(path: string): boolean {
  return /\.(bat|cmd)[. ]*$/i.test(path);
}

/**
 * The arguments of a batch file, each in quotes, to be passed on as they are.
 * @throws AppError `refused` for one that cannot be quoted
 */
export function batchArguments(server: string, args: readonly string[]): string[] {
  return args.map((arg) => {
    const found = unquotable.exec(arg)?.[0];
    if (found === undefined) return `"${arg.replace(/\\+$/, "$&$&")}"`;
    const shown = JSON.stringify(found);
    throw new AppError(
      "refused",
      `The server ${server} was not started: an argument of it contains ${shown}, which cannot be passed safely to a batch file (.cmd, .bat). ` +
        `Name the program itself as "command", for example "node" with the path of the script as its first argument.`,
    );
  });
}
