import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { randomHex } from "../../base/digests.ts";
import { AppError, messageOf, systemCodeOf } from "../../base/errors.ts";
import { type HttpSettings, needsToken } from "../../cli/http-settings.ts";
import { ConnectionUsers } from "../../commands/process/connections.ts";
import {
  openSocketOwner,
  type SocketEnd,
  type SocketOwner,
} from "../../commands/process/socket-owner.ts";
import { type AuthorizationRefusal, createRefusal } from "../../server/auth/authorizer.ts";
import type { AuthSettings } from "../../server/auth/create-auth.ts";

interface OwnToken {
  readonly tokenFile: string;
  /** Only when it was made just now: it is shown once. */
  readonly token?: string;
}

const tokenBytes = 32;

/**
 * The token file that a server makes where it cannot know which user connects; kept, so that clients need not be configured
 * at every start. @throws AppError "system" when it cannot be written
 */
function makeOwnToken(scorpioxDir: string): OwnToken {
  const tokenFile = join(scorpioxDir, "http-token");
  const token = randomHex(tokenBytes);
  try {
    mkdirSync(scorpioxDir, { recursive: true, mode: 0o700 });
    writeFileSync(tokenFile, `# For clients of serve --http.\nlocal ${token}\n`, {
      flag: "wx",
      mode: 0o600,
    });
    return { tokenFile, token };
  } catch (error) {
    if (systemCodeOf(error) === "EEXIST") return { tokenFile };
    const what = `A token for clients is needed here, and ${tokenFile} cannot be written: ${messageOf(error)}`;
    throw new AppError("system", `${what} Give --token-file or --allow-any-local-user.`);
  }
}

/** The notice to the user at the start. */
function ownTokenText({ tokenFile, token }: OwnToken, url: string): string {
  const why = `This system does not tell which user connects, so clients need the token in ${tokenFile}`;
  if (token === undefined) return `${why}; --allow-any-local-user does without.`;
  const entry = { scorpiox: { type: "http", url, headers: { Authorization: `Bearer ${token}` } } };
  return [
    `${why}, which was made now; --allow-any-local-user does without. It is shown this once:`,
    `  claude mcp add --transport http scorpiox ${url} --header "Authorization: Bearer ${token}"`,
    `  Cursor:  ${JSON.stringify({ mcpServers: entry })}`,
    `  VS Code: ${JSON.stringify({ servers: entry })}`,
  ].join("\n");
}

/** The principals and users that may connect, as decided at the start. */
export interface Entrance {
  readonly auth: AuthSettings;
  /** The answer to a request of somebody who may not come in without tokens. */
  readonly refuse: (
    request: Request,
    server: Bun.Server<undefined> | undefined,
  ) => AuthorizationRefusal | undefined;
  /** The notice to the user once the URL is known. */
  readonly notice: (url: string) => string | undefined;
}

const refuseNobody = (): undefined => undefined;
const anyoneText =
  "--allow-any-local-user: every account of this machine can run commands as you through this server.";

/**
 * A client that sends requests runs commands as this user. So with tokens the holder of one may connect; without them this user and root;
 * and where the system does not report which user connects, the holder of the token that is made here.
 */
export function openEntrance(settings: HttpSettings, scorpioxDir: string): Entrance {
  const entrance: Entrance = { auth: settings, refuse: refuseNobody, notice: refuseNobody };
  if (needsToken(settings)) return entrance;
  if (settings.allowsAnyLocalUser) return { ...entrance, notice: () => anyoneText };
  const [ownerOf, uid] = [openSocketOwner(), process.getuid?.()];
  if (ownerOf === undefined || uid === undefined) {
    const own = makeOwnToken(scorpioxDir);
    const auth = { ...settings, tokenFile: own.tokenFile, tellsTokenFile: true };
    return { ...entrance, auth, notice: (url) => ownTokenText(own, url) };
  }
  const users = new LocalUsers(ownerOf, uid);
  return {
    ...entrance,
    refuse: (request, server) =>
      server === undefined ? undefined : users.refusalOf(request, server),
  };
}

/** The part of the server that it needs. */
interface Listening {
  /** As it was resolved: `localhost` is 127.0.0.1 or ::1. */
  readonly address?: SocketEnd;
  requestIP(request: Request): SocketEnd | null;
}

const rootUid = 0;
const refused = createRefusal(
  403,
  "This server runs commands for the user that started it, and this connection is another user's. " +
    "Start the server with --token-file FILE and send one of its tokens, or with --allow-any-local-user " +
    "to let every account of this machine run commands as that user.",
);

/** A server without tokens is for the user who runs it; root may do as it likes anyway. */
class LocalUsers {
  readonly #users: ConnectionUsers;

  constructor(
    ownerOf: SocketOwner,
    private readonly uid: number,
  ) {
    this.#users = new ConnectionUsers(ownerOf);
  }

  /** The answer to a request of another user, or of one that is not known. */
  refusalOf(request: Request, server: Listening): AuthorizationRefusal | undefined {
    const client = server.requestIP(request);
    const { address } = server;
    const isKnown = client !== null && address !== undefined;
    const user = isKnown ? this.#users.userOf(client, address) : undefined;
    return user === this.uid || user === rootUid ? undefined : refused;
  }
}
