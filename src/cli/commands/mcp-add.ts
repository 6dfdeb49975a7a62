import { AppError } from "../../base/errors.ts";
import type { NewEntry } from "../../upstream/edit/server-text.ts";
import type { Command } from "../command.ts";
import { ParsedArguments } from "../flags.ts";
import { readStartUp } from "../start-up.ts";
import { storeFlags, storeServer } from "../store-servers.ts";

export const mcpAddCommand: Command = {
  usage: "NAME (--url URL [--header K:V ...] | [--env K=V ...] -- COMMAND [ARG ...]) [FLAGS]",
  description:
    "Adds another MCP server: its tools are then offered beside ours. Nothing is started.\n" +
    "What follows -- is the command, word for word. For instance:\n" +
    "  scorpiox-code mcp add files -- npx -y @modelcontextprotocol/server-filesystem .\n" +
    "  scorpiox-code mcp add remote --url https://example.com/mcp --header 'Authorization: Bearer ${TOKEN}'",
  flags: {
    url: { kind: "text", placeholder: "URL", help: "Where the server listens (http or https)." },
    header: {
      kind: "list",
      placeholder: "K:V",
      help: "Send this header with every request. May be repeated.",
    },
    env: {
      kind: "list",
      placeholder: "K=V",
      help: "Start the command with this variable. May be repeated.",
    },
    cwd: {
      kind: "text",
      placeholder: "DIR",
      help: "Start the command in this folder, relative to the project.",
    },
    ...storeFlags,
  },
  arguments: { min: 1, max: Number.MAX_SAFE_INTEGER },
  async run(context) {
    const { args, io } = context;
    const [name = "", ...words] = args.positionals;
    const entry = args.has("url") ? httpEntry(args, words) : stdioEntry(args, words, name);
    // Here --cwd is the server's folder, and not ours.
    const start = readStartUp(new ParsedArguments(new Map(), []), io);
    return storeServer(context, start, name, entry);
  },
};

function httpEntry(args: ParsedArguments, words: readonly string[]): NewEntry {
  if (words.length > 0) {
    throw new AppError("usage", "A server has a command or --url, not both.");
  }
  refuse(args, ["env", "cwd"], "a command");
  const headers = args.list("header").map((header) => splitAt(header, ":", "--header"));
  return {
    url: args.text("url"),
    ...(headers.length > 0 && { headers: Object.fromEntries(headers) }),
  };
}

function stdioEntry(args: ParsedArguments, words: readonly string[], name: string): NewEntry {
  refuse(args, ["header"], "--url");
  const [command, ...rest] = words;
  if (command === undefined) {
    const message = `How is ${name} reached? Give --url URL, or -- and the command that starts it.`;
    throw new AppError("usage", message);
  }
  const env = args.list("env").map((pair) => splitAt(pair, "=", "--env"));
  const cwd = args.text("cwd");
  return {
    command,
    ...(rest.length > 0 && { args: rest }),
    ...(env.length > 0 && { env: Object.fromEntries(env) }),
    ...(cwd !== undefined && { cwd }),
  };
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
