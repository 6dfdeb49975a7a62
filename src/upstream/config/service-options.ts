/** An entry's settings for a login without a person. Plain data; nothing in it has been expanded. */

/** How scorpiox-code gets tokens where no person logs in. Requires a client id. Only in entries of the user. */
export interface ServiceOptions {
  readonly grant: ServiceGrant;
  /** Absent: the client's secret is the proof, where there is one. */
  readonly key?: KeyOptions;
  /** With `enterprise`, and only then. */
  readonly idp?: IdpOptions;
  /** With `workload`, and only then. */
  readonly workload?: WrittenSecret;
}

/** The grants, by the credential that each presents. */
export const serviceGrants = [
  /** The client's own (RFC 6749 section 4.4). */
  "client_credentials",
  /** A statement of the company's identity provider about a person (enterprise-managed authorization). */
  "enterprise",
  /** A statement of the platform about a program that it runs (RFC 7523 section 2.1). */
  "workload",
] as const;

export type ServiceGrant = (typeof serviceGrants)[number];

/** Either `text` or `file` is present. */
export interface WrittenSecret {
  /** As written; may name a secret. */
  readonly text?: string;
  /** The path of its file, as written. */
  readonly file?: string;
}

/** The identity provider of a company, and its statement about the person. Texts as written. */
export interface IdpOptions {
  readonly issuer: string;
  /** The client id of scorpiox-code at the identity provider. */
  readonly clientId: string;
  readonly clientSecret?: string;
  /** The person's (OpenID Connect). */
  readonly idToken: string;
}

/** A private key in PEM that proves who the client is (RFC 7523). */
export interface KeyOptions extends WrittenSecret {
  /** Absent: the usual one for such a key. */
  readonly algorithm?: KeyAlgorithm;
  /** The id of the key, for authorization servers that know several keys of the client. */
  readonly id?: string;
}

/** Their names in RFC 7518 and RFC 8037. */
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
