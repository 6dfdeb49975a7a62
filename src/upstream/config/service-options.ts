/** What an entry says of a login without a person. Plain data; nothing in it has been expanded. */

/** How tokens are had where no person logs in. There is a client id then. In entries of the user's only. */
export interface ServiceOptions {
  readonly grant: ServiceGrant;
  /** Absent: the client's secret is the proof, where there is one. */
  readonly key?: KeyOptions;
  /** With `enterprise`, and only then. */
  readonly idp?: IdpOptions;
  /** With `workload`, and only then. */
  readonly workload?: WrittenSecret;
}

/** What tokens are given for. */
export const serviceGrants = [
  /** The client itself (RFC 6749 section 4.4). */
  "client_credentials",
  /** What the company's identity provider says of a person (enterprise-managed authorization). */
  "enterprise",
  /** What the platform says of a program that it runs (RFC 7523 section 2.1). */
  "workload",
] as const;

export type ServiceGrant = (typeof serviceGrants)[number];

/** Either `text` or `file` is there. */
export interface WrittenSecret {
  /** As written; may name a secret. */
  readonly text?: string;
  /** Where it lies, as written. */
  readonly file?: string;
}

/** The identity provider of a company, and what it has said of the person. Texts as written. */
export interface IdpOptions {
  readonly issuer: string;
  /** Who we are there. */
  readonly clientId: string;
  readonly clientSecret?: string;
  /** Of the person (OpenID Connect). */
  readonly idToken: string;
}

/** A private key in PEM that proves who the client is (RFC 7523). */
export interface KeyOptions extends WrittenSecret {
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
