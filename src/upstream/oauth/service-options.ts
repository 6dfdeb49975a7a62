/** What an entry says of a login without a person. Plain data; nothing in it has been expanded. */

/** How tokens are had where no person logs in. There is a client id then. In entries of the user's only. */
export interface ServiceOptions {
  /** RFC 6749 section 4.4. */
  readonly grant: "client_credentials";
  /** The authorization server that is asked, and no other. Absent: the one that the server names first. */
  readonly issuer?: string;
  /** Absent: the client's secret is the proof. */
  readonly key?: KeyOptions;
}

/** A private key that proves who the client is (RFC 7523). Either `text` or `file` is there. */
export interface KeyOptions {
  /** In PEM, as written; may name a secret. */
  readonly text?: string;
  /** As written. */
  readonly file?: string;
  /** Absent: the usual one for such a key. */
  readonly algorithm?: KeyAlgorithm;
  /** Which of the client's keys it is, for authorization servers that know several. */
  readonly id?: string;
}

/** As RFC 7518 and RFC 8037 call them. */
export const keyAlgorithms = [
  "ES256",
  "ES384",
  "ES512",
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "EdDSA",
] as const;

export type KeyAlgorithm = (typeof keyAlgorithms)[number];
