/** The identity behind a request. Sessions, background tasks and cursors belong to one `id`. */
export interface Principal {
  /**
   * `token:<label>`, `jwt:<issuer>|<sub>`, `jwt-client:<issuer>|<client_id>` or `local`.
   * Never a token or a part of one, so it may be logged and compared.
   */
  readonly id: string;
  /** Its scopes; undefined: everything. */
  readonly scopes: ReadonlySet<string> | undefined;
}

/** The principal of an open server on the loopback interface: the user of this machine. */
export const localPrincipal: Principal = { id: "local", scopes: undefined };

/**
 * The current state of a request's token. Sessions and streams outlast the request that opened them, so it is checked again
 * while they are open.
 */
export type TokenState =
  | "valid"
  /** Its time is over: its holder may come back with a new one. */
  | "expired"
  /** It was taken back: what it opened is to end. */
  | "withdrawn";
