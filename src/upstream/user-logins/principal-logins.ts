import { AppError } from "../../base/errors.ts";
import type { Roads } from "../../network/route.ts";
import { type Challenge, joinScopes } from "../oauth/discover.ts";
import type { LoginEntry, LoginRecord } from "../oauth/logins-file.ts";
import type { LoginPlace } from "../oauth/oauth-reach.ts";
import type { KeptLogins } from "../oauth/server-login.ts";
import { type LoginVault, type OpenedRow, rowKeyOf } from "./login-vault.ts";

/** The login of one principal to one server, kept in a vault: what `ServerLogin` renews and `logOut` ends. */
export class PrincipalLogins implements KeptLogins {
  readonly #vault: LoginVault;
  readonly #owner: string;
  readonly #server: string;
  /** The demands of the server when it refused a request. */
  #wanted: Challenge = {};
  #isSealing = false;

  /** @param owner the id of the principal @param server the name of the entry */
  constructor(vault: LoginVault, owner: string, server: string) {
    this.#vault = vault;
    this.#owner = owner;
    this.#server = server;
  }

  get roads(): Roads {
    return this.#vault.roads;
  }

  /** @throws AppError `system` */
  async entry(place: LoginPlace): Promise<LoginEntry | undefined> {
    const opened = await this.#opened(this.keyOf(place));
    if (opened === undefined) return undefined;
    const { issuer, resource, client } = opened.value;
    return { id: opened.row.id, issuer, resource, clientId: client.clientId };
  }

  /** @throws AppError `system` */
  async record({ id }: LoginEntry): Promise<LoginRecord | undefined> {
    const opened = await this.#opened(keyIn(id));
    return opened?.row.id === id ? opened.value : undefined;
  }

  /** When the login began, in milliseconds since 1970; undefined without one. @throws AppError `system` */
  async since(place: LoginPlace): Promise<number | undefined> {
    return (await this.#opened(this.keyOf(place)))?.row.since;
  }

  wanted(): Challenge {
    return this.#wanted;
  }

  note(_place: LoginPlace, { scope, resourceMetadata }: Challenge): Promise<void> {
    const scopes = joinScopes(this.#wanted.scope, scope);
    this.#wanted = {
      ...this.#wanted,
      ...(scopes === undefined ? {} : { scope: scopes }),
      ...(resourceMetadata === undefined ? {} : { resourceMetadata }),
    };
    return Promise.resolve();
  }

  /** Keeps a new login, and forgets the one before. @throws AppError `system` */
  async add(place: LoginPlace, record: LoginRecord): Promise<void> {
    const key = this.keyOf(place);
    await this.#vault.alone(key, () => this.#put(key, `${key}:${crypto.randomUUID()}`, record));
    this.#wanted = {};
  }

  /**
   * Keeps renewed tokens; for callers in `renewing`.
   * @throws AppError `refused` when the login was ended meanwhile: it must not come back
   */
  async keep({ id }: LoginEntry, record: LoginRecord): Promise<void> {
    const key = keyIn(id);
    const now = await this.#opened(key);
    if (now?.row.id !== id) throw new AppError("refused", "The login was ended meanwhile.");
    await this.#put(key, id, record, now.row.since);
  }

  /** @throws AppError `system` */
  async remove(place: LoginPlace): Promise<void> {
    const key = this.keyOf(place);
    await this.#vault.alone(key, () => this.#vault.take("login", key));
  }

  /** @see SealedRows.alone */
  renewing<Result>({ id }: LoginEntry, work: () => Promise<Result>): Promise<Result> {
    return this.#vault.alone(keyIn(id), work);
  }

  /** The key of a login, one for all spellings of a server's address. */
  keyOf({ url, clientId }: LoginPlace): string {
    return loginKeyOf(this.#owner, url, clientId);
  }

  /** One that an older key has sealed is sealed again, so that the key can go. */
  async #opened(key: string): Promise<OpenedRow<LoginRecord> | undefined> {
    const opened = await this.#vault.get<LoginRecord>("login", key);
    if (opened === undefined || this.#vault.isCurrent(opened.row)) return opened;
    if (this.#isSealing) return opened;
    this.#isSealing = true;
    void this.#vault
      .alone(key, async () => {
        const now = await this.#vault.get<LoginRecord>("login", key);
        if (now !== undefined) await this.#vault.put(now.row, now.value);
      })
      .catch(() => {})
      .finally(() => (this.#isSealing = false));
    return opened;
  }

  async #put(
    key: string,
    id: string,
    record: LoginRecord,
    since = this.#vault.clock(),
  ): Promise<void> {
    const { expiresAt } = record;
    const row = {
      kind: "login",
      key,
      id,
      owner: this.#owner,
      server: this.#server,
      since,
    } as const;
    await this.#vault.put(expiresAt === undefined ? row : { ...row, expiresAt }, record);
  }
}

/** The key of the row of a login. */
function loginKeyOf(owner: string, url: string, clientId: string | undefined): string {
  const parsed = URL.parse(url);
  if (parsed !== null) parsed.hash = "";
  return rowKeyOf("login", owner, parsed?.href ?? url, clientId ?? null);
}

/** The id of a login begins with the key of its row. */
function keyIn(id: string): string {
  return id.slice(0, Math.max(0, id.indexOf(":")));
}
