import type { Roads } from "../../network/route.ts";
import { type Logout, logOut } from "../oauth/log-in.ts";
import type { LoginRecord } from "../oauth/logins-file.ts";
import { LoginVault, type SealedRow, type SealedRows } from "./login-vault.ts";
import { ownerName } from "./owned-server.ts";
import { RowFiles } from "./row-files.ts";
import type { SecretsKeys } from "./secrets-keys.ts";

/** A login of a principal, without anything secret. */
export interface UserLogin {
  /** The id of the principal. */
  readonly owner: string;
  /** The name of the server's entry. */
  readonly server: string;
  /** Milliseconds since 1970. */
  readonly since: number;
  /** The end of its access token, in milliseconds since 1970, which may be renewed; undefined when it has none. */
  readonly expiresAt: number | undefined;
}

/** The logins of principals on this machine, for commands of the operator. */
export class KeptUserLogins {
  readonly #rows: SealedRows;
  readonly #roads: Roads;

  /** @param folder `~/.scorpiox/user-logins` */
  constructor(folder: string, roads: Roads) {
    this.#rows = new RowFiles(folder);
    this.#roads = roads;
  }

  /** Sorted by principal and server. @throws AppError `system` */
  async list(): Promise<readonly UserLogin[]> {
    const rows = await this.#rows.list("login");
    return rows
      .map(({ owner, server, since, expiresAt }) => ({ owner, server, since, expiresAt }))
      .toSorted((a, b) => compare(a.owner, b.owner) || compare(a.server, b.server));
  }

  /**
   * Ends logins of one principal: deletes them, and has their tokens revoked where the server can.
   * @param owner the id of the principal, or its name as people call it @param server undefined: at all servers
   * @param keys undefined: nothing can be revoked
   * @throws AppError `system`
   */
  async end(
    owner: string,
    server: string | undefined,
    keys: SecretsKeys | undefined,
    signal: AbortSignal,
  ): Promise<readonly (UserLogin & Omit<Logout, "wasLoggedIn">)[]> {
    const rows = await this.#rows.list("login");
    const meant = rows.filter((row) => {
      const isOwners = row.owner === owner || ownerName(row.owner) === owner;
      return isOwners && (server === undefined || row.server === server);
    });
    const ended = meant.map(async (row) => {
      const { isRevoked, problems } = await this.#end(row, keys, signal);
      return { ...row, expiresAt: row.expiresAt, isRevoked, problems };
    });
    return Promise.all(ended);
  }

  async #end(
    row: SealedRow,
    keys: SecretsKeys | undefined,
    signal: AbortSignal,
  ): Promise<Pick<Logout, "isRevoked" | "problems">> {
    const rows = this.#rows;
    const roads = this.#roads;
    const record = keys === undefined ? undefined : await openRecord(row, rows, keys, roads);
    const remove = async (): Promise<void> => {
      await rows.alone(row.key, () => rows.take("login", row.key));
    };
    if (record === undefined) {
      await remove();
      return { isRevoked: false, problems: [] };
    }
    const { issuer, resource, client } = record;
    const entry = { id: row.id, issuer, resource, clientId: client.clientId };
    const store = {
      roads,
      entry: () => Promise.resolve(entry),
      record: () => Promise.resolve(record),
      remove,
    };
    return logOut({ url: resource, issuers: [issuer] }, store, signal);
  }
}

async function openRecord(
  { key }: SealedRow,
  rows: SealedRows,
  keys: SecretsKeys,
  roads: Roads,
): Promise<LoginRecord | undefined> {
  const vault = new LoginVault({ rows, keys, roads, clock: Date.now });
  return (await vault.get<LoginRecord>("login", key))?.value;
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
