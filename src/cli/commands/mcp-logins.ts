import { join } from "node:path";

import { AppError, messageOf } from "../../base/errors.ts";
import { userLoginsFolderName } from "../../base/own-files.ts";
import { takeSecret } from "../../config/take-secret.ts";
import { loginRoads } from "../../upstream/oauth/login-store.ts";
import { userKeychain } from "../../upstream/secrets/user-secrets.ts";
import { KeptUserLogins, type UserLogin } from "../../upstream/user-logins/kept-logins.ts";
import { ownerName } from "../../upstream/user-logins/owned-server.ts";
import { parseSecretsKeys, type SecretsKeys } from "../../upstream/user-logins/secrets-keys.ts";
import { columns, exitCodes } from "../command-io.ts";
import type { Command, CommandContext } from "../command.ts";
import { directoryFlags, jsonFlag } from "../flags.ts";
import { readStartUp } from "../start-up.ts";

export const mcpLoginsCommand: Command = {
  usage: "[--json]",
  description:
    "Lists the logins of the users of serve --http to servers whose entry has oauth.per_user: whose, to which server, since\n" +
    'when, and when the access token ends, which is renewed where the server allows that. "mcp logout --owner" ends one.',
  flags: { ...jsonFlag, ...directoryFlags },
  arguments: { min: 0, max: 0 },
  needsPerson: false,
  async run(context) {
    const { args, print } = context;
    const logins = await keptLogins(context).list();
    if (args.has("json")) print.json(logins.map(shownLogin));
    else if (logins.length === 0) print.note("No user has logged in to a server.");
    else {
      const rows = logins.map((login) => {
        const { server, since, expires } = shownLogin(login);
        return [ownerName(login.owner), server, timeText(since), timeText(expires ?? "never")];
      });
      for (const row of columns([["OWNER", "SERVER", "SINCE", "TOKEN ENDS"], ...rows])) {
        print.line(row);
      }
    }
    return exitCodes.done;
  },
};

/**
 * Ends logins of one user of `serve --http`.
 * @param server undefined: at all servers
 */
export async function logOutUser(
  context: CommandContext,
  owner: string,
  server: string | undefined,
): Promise<number> {
  const { args, io, print } = context;
  const keys = await keysOf(context).catch((error: unknown) => {
    print.warning(messageOf(error));
    return undefined;
  });
  const ended = await keptLogins(context).end(owner, server, keys, io.interrupted);
  for (const problem of ended.flatMap(({ problems }) => problems)) print.warning(problem);
  if (args.has("json")) {
    print.json(ended.map((login) => ({ ...shownLogin(login), revoked: login.isRevoked })));
  } else {
    for (const { owner: id, server: name, isRevoked } of ended) {
      const there = isRevoked ? " The server has revoked the tokens." : "";
      print.note(`${ownerName(id)} is logged out of ${name}.${there}`);
    }
  }
  if (ended.length > 0) return exitCodes.done;
  print.error(`There is no login of ${owner}${server === undefined ? "" : ` to ${server}`}.`);
  return exitCodes.notFound;
}

function keptLogins(context: CommandContext): KeptUserLogins {
  const { scorpioxDir } = readStartUp(context.args, context.io).dirs;
  return new KeptUserLogins(join(scorpioxDir, userLoginsFolderName), loginRoads(context.io.env));
}

/** The keys with which tokens can be opened, to have them revoked. @throws AppError when there are none */
async function keysOf({ args, io }: CommandContext): Promise<SecretsKeys> {
  const given = takeSecret("SECRETS_KEY");
  if (given !== undefined) return parseSecretsKeys(given, "SECRETS_KEY");
  const { dirs } = readStartUp(args, io);
  const keychain = userKeychain(dirs, io.env);
  const kept =
    (await keychain?.isThere()) === true ? await keychain?.get("secrets-key") : undefined;
  if (kept !== undefined) return parseSecretsKeys(kept, "secrets-key in the keychain");
  const text =
    "Without the key (SECRETS_KEY_FILE) tokens are deleted, and not revoked at the server.";
  throw new AppError("config", text);
}

/** A login as `mcp logins --json` prints it. Times are ISO 8601. */
function shownLogin({ owner, server, since, expiresAt }: UserLogin): {
  readonly owner: string;
  readonly server: string;
  readonly since: string;
  readonly expires: string | null;
} {
  const expires = expiresAt === undefined ? null : new Date(expiresAt).toISOString();
  return { owner, server, since: new Date(since).toISOString(), expires };
}

function timeText(time: string): string {
  return time.slice(0, 16).replace("T", " ");
}
