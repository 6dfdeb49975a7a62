import { AppError } from "../base/errors.ts";
import { product } from "../base/product.ts";
import { hideInArguments, hideInUrl } from "../base/secrets.ts";
import { rootsWords } from "../upstream/config/option-reader.ts";
import type { NewEntry } from "../upstream/edit/server-text.ts";
import type { FlagTable } from "./flags.ts";
import type { ParsedArguments } from "./command-io.ts";

const transports = ["stdio", "http", "sse", "streamable-http"] as const;

/**
 * Flags that describe a server. The short ones, and more than one value behind one flag, are as people know them of other programs.
 */
export const entryFlags: FlagTable = {
  transport: {
    kind: "text",
    short: "t",
    choices: transports,
    help: "How to reach the server. Optional: an address means http, a command means stdio.",
  },
  url: { kind: "text", placeholder: "URL", help: "The address, if it is not the second word." },
  header: {
    kind: "list",
    short: "H",
    placeholder: "K:V",
    more: /^[!#$%&'*+.^_`|~0-9A-Za-z-]+:\s/,
    help: "Send this header with every request. May be repeated.",
  },
  env: {
    kind: "list",
    short: "e",
    placeholder: "K=V",
    more: /^[A-Za-z_]\w*=/,
    help: "Start the command with this variable. May be repeated.",
  },
  cwd: {
    kind: "text",
    placeholder: "DIR",
    help: "Start the command in this folder, relative to the project.",
  },
  roots: {
    kind: "list",
    placeholder: "WHAT",
    help: "Folders that the server gets as roots: none, workspace, client (all of the client's), or a folder, which may be repeated.",
  },
  "client-id": {
    kind: "text",
    placeholder: "ID",
    help: "Log in to the server as this OAuth client, if it does not accept dynamic registration.",
  },
  "callback-port": {
    kind: "text",
    placeholder: "PORT",
    help: "The local port for the login's redirect, if the server requires a fixed one.",
  },
};

/** True after `NAME COMMAND`: the following arguments may be the command's. */
export function beginsCommand([, second]: readonly string[]): boolean {
  return second !== undefined && !isAddress(second);
}

/**
 * The entry that the user has typed behind the server's name: an address, or a command with its arguments.
 * @throws {AppError} `usage`, with the line to type where it is known
 */
export function typedEntry(args: ParsedArguments): NewEntry {
  const [name = "", ...words] = args.positionals;
  const [first = "", ...rest] = words;
  const url = args.text("url");
  const transport = args.text("transport");
  if (isAddress(first) && args.verbatimFrom <= 1) {
    throw wrong(`After -- comes a command, but ${hideInUrl(first)} is an address.`, name, first);
  }
  if (url !== undefined && words.length > 0) {
    throw new AppError("usage", "A server has a command or an address, not both.");
  }
  if (url === undefined && !isAddress(first)) return commandEntry(args, name, words, transport);
  if (rest.length > 0) {
    const [extra] = hideInArguments(rest);
    throw new AppError(
      "usage",
      `A server has a command or an address, not both: ${extra} is one word too many.`,
    );
  }
  if (transport === "stdio") {
    throw wrong("--transport stdio needs a command.", name, url ?? first);
  }
  return addressEntry(args, url ?? first);
}

function addressEntry(args: ParsedArguments, url: string): NewEntry {
  refuse(args, ["env", "cwd"], "a command");
  const headers = args.list("header").map((header) => splitAt(header, ":", "--header"));
  const oauth = {
    ...(args.has("client-id") && { client_id: args.text("client-id") }),
    ...(args.has("callback-port") && { redirect_port: portOf(args.text("callback-port") ?? "") }),
  };
  return {
    url,
    ...(headers.length > 0 && { headers: Object.fromEntries(headers) }),
    ...rootsOf(args),
    ...(Object.keys(oauth).length > 0 && { oauth }),
  };
}

function commandEntry(
  args: ParsedArguments,
  name: string,
  words: readonly string[],
  transport: string | undefined,
): NewEntry {
  const [command, ...rest] = words;
  if (command === undefined) {
    const message = `Give the address of ${name}, or -- and the command that starts it.`;
    throw new AppError("usage", message);
  }
  if (transport !== undefined && transport !== "stdio") {
    const start = `--transport ${transport} needs an address that begins with https:// or http://.`;
    if (rest.length > 0) throw new AppError("usage", `${start} Leave it out for a command.`);
    throw wrong(start, name, `https://${command}`);
  }
  refuse(args, ["header", "client-id", "callback-port"], "an address");
  const env = args.list("env").map((pair) => splitAt(pair, "=", "--env"));
  const cwd = args.text("cwd");
  return {
    command,
    ...(rest.length > 0 && { args: rest }),
    ...(env.length > 0 && { env: Object.fromEntries(env) }),
    ...(cwd !== undefined && { cwd }),
    ...rootsOf(args),
  };
}

function rootsOf(args: ParsedArguments): NewEntry {
  const [first, ...more] = args.list("roots");
  if (first === undefined) return {};
  const isWord = more.length === 0 && rootsWords.some((word) => word === first);
  return { roots: isWord ? first : [first, ...more] };
}

/** Whether a word is an address of any scheme: reading the entry rejects unknown ones. */
function isAddress(word: string): boolean {
  return /^[a-z][a-z\d+.-]*:\/\//i.test(word);
}

/** The problem and the corrected line, without the user's flags. */
function wrong(what: string, name: string, url: string): AppError {
  return new AppError("usage", `${what} Type: ${product.name} mcp add ${name} ${hideInUrl(url)}`);
}

function portOf(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port >= 1 && port <= 65_535) return port;
  throw new AppError("usage", `--callback-port ${text} is not a port: use 1 to 65535.`);
}

function refuse(args: ParsedArguments, flags: readonly string[], owner: string): void {
  const flag = flags.find((name) => args.has(name));
  if (flag !== undefined) throw new AppError("usage", `--${flag} goes with ${owner}.`);
}

function splitAt(pair: string, mark: ":" | "=", flag: string): [string, string] {
  const at = pair.indexOf(mark);
  const name = pair.slice(0, Math.max(at, 0)).trim();
  // The value may be a secret: it is not repeated.
  if (name === "") throw new AppError("usage", `${flag} takes NAME${mark}VALUE.`);
  const value = pair.slice(at + 1);
  return [name, mark === ":" ? value.trim() : value];
}
