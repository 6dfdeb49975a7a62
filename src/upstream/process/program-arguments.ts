import { win32 } from "node:path";

/** `npx` asks before it installs a package, on a stdin that carries messages: it is told not to. */
const subcommands: ReadonlyMap<string, readonly string[]> = new Map([["npm", ["exec", "x"]]]);
const answers = new Set(["-y", "--yes", "--no", "--no-install", "--yes=true", "--yes=false"]);

/** The arguments of a server, completed so that its program asks nothing on stdin (EN2). */
export function withoutPrompts(command: string, args: readonly string[]): readonly string[] {
  // The Windows form knows both separators.
  const program = win32
    .basename(command)
    .toLowerCase()
    .replace(/\.(cmd|exe|ps1|bat)$/, "");
  if (program === "npx") return isAnswered(args) ? args : ["-y", ...args];
  const [subcommand = "", ...rest] = args;
  if (subcommands.get(program)?.includes(subcommand) !== true) return args;
  return isAnswered(rest) ? args : [subcommand, "-y", ...rest];
}

/** Only what is before the package is for npx; the rest is for the server. */
function isAnswered(args: readonly string[]): boolean {
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (answers.has(arg)) return true;
    if (arg === "--" || !arg.startsWith("-")) return false;
    if (optionsWithWord.has(arg)) at++;
  }
  return false;
}

const optionsWithWord = new Set(["-p", "--package", "-c", "--call", "-w", "--workspace"]);
