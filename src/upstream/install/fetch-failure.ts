import { ConnectionError } from "../connect/connection.ts";
import type { RunnerCommand } from "./runner-command.ts";

/** Lines of a runner's stderr that are told. */
const linesMax = 5;

/** Why a package is not there, and what to do. */
export function fetchFailure(
  { runner, packages }: Pick<RunnerCommand, "runner" | "packages">,
  errors: readonly string[],
): ConnectionError {
  const what = packages.join(" ");
  const broken = brokenFolder(errors);
  if (broken !== undefined) {
    const text =
      `${runner} could not install ${what}: its folder ${broken} is broken, mostly since an earlier download was ` +
      `interrupted. Remove that folder (rm -rf ${broken}) and try again.`;
    return new ConnectionError("unreachable", text);
  }
  const said = errors.filter((line) => !isChatter(line)).slice(-linesMax);
  const why = said.length === 0 ? "it said nothing of the reason." : `\n${said.join("\n")}`;
  return new ConnectionError("unreachable", `${runner} could not install ${what}: ${why}`);
}

/** What npm says of every request that went well, and of where its log is. */
function isChatter(line: string): boolean {
  return /^npm (?:http|warn|verb|info|notice)|A complete log of this run|^npm error\s*$/i.test(
    line,
  );
}

/** The folder of `_npx` with a file that is half written, or with what another run left in the way. */
function brokenFolder(errors: readonly string[]): string | undefined {
  const text = errors.join("\n");
  if (!/EJSONPARSE|ENOTEMPTY|ECOMPROMISED/.test(text)) return undefined;
  return /((?:[A-Za-z]:)?[\\/][^\n"']*?[\\/]_npx[\\/][0-9a-f]{16})/.exec(text)?.[1];
}
