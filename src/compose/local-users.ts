import { createRefusal, type AuthorizationRefusal } from "../server/auth/refusal.ts";
import { ConnectionUsers } from "../commands/process/connection-users.ts";
import type { SocketEnd, SocketOwner } from "../commands/process/socket-owner.ts";

/** What it asks of the server. */
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
export class LocalUsers {
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
