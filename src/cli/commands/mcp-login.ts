import { AppError } from "../../base/errors.ts";
import { hideInUrl } from "../../base/secrets.ts";
import type { LoginUser } from "../../upstream/oauth/authorization-request.ts";
import { logIn, logOut } from "../../upstream/oauth/log-in.ts";
import type { LoginRecord } from "../../upstream/oauth/logins-file.ts";
import { configuredWish, serviceWish } from "../../upstream/oauth/open-login.ts";
import type { LoginWish } from "../../upstream/oauth/plan-login.ts";
import { provingClient } from "../../upstream/oauth/service-grant.ts";
import { logInAsService } from "../../upstream/oauth/service-login.ts";
import { exitCodes } from "../command-io.ts";
import type { Command, CommandContext, PageOpener } from "../command.ts";
import { jsonFlag, startUpFlags } from "../flags.ts";
import { approvalText, type LoginServer, openLoginServer } from "../server-login.ts";

/** Nobody pastes a longer line. */
const lineCharsMax = 64 * 1024;

/** Reads `input` line by line, from the first time that it is asked. Undefined: there is no more. */
function readLines(input: AsyncIterable<Uint8Array>): () => Promise<string | undefined> {
  let chunks: AsyncIterator<Uint8Array> | undefined;
  const decoder = new TextDecoder();
  let text = "";
  return async () => {
    chunks ??= input[Symbol.asyncIterator]();
    for (;;) {
      const end = text.indexOf("\n");
      if (end !== -1) {
        const line = text.slice(0, end);
        text = text.slice(end + 1);
        return line;
      }
      const { value, done } = await chunks.next();
      if (done === true || text.length > lineCharsMax) {
        const rest = text;
        text = "";
        return rest === "" || done !== true ? undefined : rest;
      }
      text += decoder.decode(value, { stream: true });
    }
  };
}

export const mcpLoginCommand: Command = {
  usage:
    "NAME [--no-browser] [--oauth-scope SCOPE ...] [--port PORT] [--client-metadata URL] [--json]",
  description:
    "Logs you in to a server with OAuth: opens its login page in your browser and waits up to five minutes for the\n" +
    "redirect. Without a browser or a screen it prints the address; paste the address that the login ends at. The tokens\n" +
    "are kept in the keychain; running servers use them within two seconds. A server whose entry has client credentials\n" +
    'of its own (grant = "client_credentials") gets its token without a browser.',
  flags: {
    "no-browser": { kind: "switch", help: "Print the address instead of opening it." },
    "oauth-scope": {
      kind: "list",
      placeholder: "SCOPE",
      oldNames: { scope: {} },
      help: "Request this scope instead of those that the server asks for. May be repeated.",
    },
    port: {
      kind: "text",
      placeholder: "PORT",
      help: "Listen for the redirect on this local port instead of any free one.",
    },
    "client-metadata": {
      kind: "text",
      placeholder: "URL",
      help: "URL of a client metadata document, for servers that accept it as a client id.",
    },
    ...jsonFlag,
    ...startUpFlags,
  },
  arguments: { min: 1, max: 1 },
  needsPerson: true,
  async run(context) {
    const { args, print } = context;
    const [name = ""] = args.positionals;
    const login = await openLoginServer(context, name);
    if (!login.isTrusted) {
      print.error(approvalText(login));
      return exitCodes.needsApproval;
    }
    print.detail(`logs in to ${hideInUrl(login.place.url)}`);
    const record = await recordOf(context, login);
    login.secrets.announce(await login.secrets.secrets.place());
    const { issuer, resource, scope, expiresAt } = record;
    const until = expiresAt === undefined ? null : new Date(expiresAt).toISOString();
    if (args.has("json")) {
      print.json({ server: name, issuer, resource, scope: scope ?? null, expiresAt: until });
    } else {
      const who = login.place.grant === undefined ? "You are" : `${record.client.clientId} is`;
      print.note(`${who} logged in to ${name}, at ${issuer}.`);
    }
    return exitCodes.done;
  },
};

/** By the user in a browser, or without one by the grant of the entry. */
async function recordOf(context: CommandContext, login: LoginServer): Promise<LoginRecord> {
  const { args, io } = context;
  const { server, place, store, expansion } = login;
  const service = serviceWish(server, place.url, expansion);
  if (service === undefined) {
    const wish = await wishOf(context, login);
    return logIn(wish, await userOf(context, login), store, io.interrupted);
  }
  const flag = browserFlags.find((each) => args.has(each));
  if (flag !== undefined) {
    const text = `--${flag} is for logins in a browser; ${server.entry.name} logs in by itself, with the grant in its entry.`;
    throw new AppError("usage", text);
  }
  return logInAsService(service, store, io.interrupted);
}

const browserFlags = ["no-browser", "oauth-scope", "port", "client-metadata"] as const;

/** @throws AppError `usage`, `config` */
async function wishOf(
  { args }: CommandContext,
  { server, place, expansion }: LoginServer,
): Promise<LoginWish> {
  const metadataUrl = args.text("client-metadata");
  if (metadataUrl !== undefined && !metadataUrl.startsWith("https://")) {
    throw new AppError("usage", "--client-metadata must be an address that begins with https://.");
  }
  const wish = await configuredWish(server, place.url, expansion);
  return {
    ...wish,
    client: { ...wish.client, ...(metadataUrl === undefined ? {} : { metadataUrl }) },
    ...(args.has("oauth-scope") ? { scopes: args.list("oauth-scope") } : {}),
    ...(args.has("port") ? { redirectPort: portOf(args.text("port") ?? "") } : {}),
  };
}

function portOf(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port > 0 && port <= 65_535) return port;
  throw new AppError("usage", `--port ${text.slice(0, 20)} is not a port: use 1 to 65535.`);
}

/** A browser if there is one, else the terminal; at a terminal the user can paste in both cases. */
async function userOf(
  { args, io, print, services }: CommandContext,
  { start, server }: LoginServer,
): Promise<LoginUser> {
  const { name } = server.entry;
  const pages = args.has("no-browser") ? undefined : await services.openPages(start);
  const canOpen = pages?.canOpen === true;
  const lines = readLines(io.stdin);
  return {
    show: (url) => {
      if (canOpen) void open(pages, url, () => print.note(byHand(url)));
      const how = canOpen ? `Your browser opens the login of ${name}.` : byHand(url);
      print.note(how);
      if (canOpen && io.stdinIsTerminal) print.note(`If it does not: ${url}`);
    },
    ...(canOpen && !io.stdinIsTerminal ? {} : { pasted: () => lines() }),
    complain: (text) => print.warning(text),
  };
}

function byHand(url: string): string {
  return `Open this address in a browser, then paste the address that the login ends at here:\n\n${url}\n`;
}

async function open(pages: PageOpener, url: string, onFailure: () => void): Promise<void> {
  if (!(await pages.open(url))) onFailure();
}

export const mcpLogoutCommand: Command = {
  usage: "(NAME | [NAME] --owner USER) [--json]",
  description:
    "Deletes the login to a server, and revokes the tokens and the client registration if the authorization server supports\n" +
    "that. With --owner those of a user of serve --http, to one server or to all. Exits with 3 when there was no login.",
  flags: {
    owner: {
      kind: "text",
      placeholder: "USER",
      help: "Instead of your own, end the logins of this user of serve --http: the label of a token, or as mcp logins --json has it.",
    },
    ...jsonFlag,
    ...startUpFlags,
  },
  arguments: { min: 0, max: 1 },
  needsPerson: true,
  async run(context) {
    const { args, io, print } = context;
    const [name] = args.positionals;
    const owner = args.text("owner");
    if (owner !== undefined) {
      const { logOutUser } = await import("./mcp-logins.ts");
      return logOutUser(context, owner, name);
    }
    if (name === undefined) throw new AppError("usage", "Log out of which server? Give its name.");
    const { place, store, server, expansion } = await openLoginServer(context, name);
    const service = serviceWish(server, place.url, expansion);
    const prove =
      service &&
      (async (record: LoginRecord) => provingClient(record, await service.client(), Date.now));
    const { wasLoggedIn, isRevoked, problems } = await logOut(place, store, io.interrupted, prove);
    for (const problem of problems) print.warning(problem);
    if (args.has("json")) print.json({ server: name, wasLoggedIn, revoked: isRevoked });
    else if (wasLoggedIn) {
      const there = isRevoked ? " The server has revoked the tokens." : "";
      print.note(`You are logged out of ${name}.${there}`);
    }
    if (wasLoggedIn) return exitCodes.done;
    print.error(`There is no login to ${name}.`);
    return exitCodes.notFound;
  },
};
