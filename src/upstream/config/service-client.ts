import { createPrivateKey, type KeyObject } from "node:crypto";
import { isAbsolute, join } from "node:path";

import { AppError, messageOf } from "../../base/errors.ts";
import { oauthAssertionMsMax, oauthRsaBitsMin } from "../../base/upstream-limits.ts";
import { readTextFile } from "../../config/read-text-file.ts";
import type {
  OauthOptions,
  IdpOptions,
  KeyAlgorithm,
  KeyOptions,
  WrittenSecret,
} from "./server-entry.ts";
import { type ExpansionContext, NeedsConfig, type TextExpander } from "./text-expander.ts";

/** The client that asks for tokens where no person logs in, filled in. */
export interface ServiceClient {
  readonly clientId: string;
  /** `none`: the traded token is enough. */
  readonly proof: { readonly secret: string } | { readonly key: ClientKey } | "none";
  /** The credential that it trades for a token; absent: it asks on its own behalf. */
  readonly trades?: { readonly idp: IdpOptions } | { readonly assertion: string };
  /** Texts that must not appear anywhere. */
  readonly secrets: readonly string[];
}

/**
 * Fills in the client of an entry that logs in by itself.
 * @throws NeedsConfig when its secret, its key or its traded credential is missing or cannot be used
 */
export async function expandServiceClient(
  { clientId = "", clientSecret, service }: OauthOptions,
  expander: TextExpander,
  { homeDir }: Pick<ExpansionContext, "homeDir">,
): Promise<ServiceClient> {
  const { key, idp, workload } = service ?? {};
  const secrets: string[] = [];
  const take = async (name: string, from: WrittenSecret): Promise<string> => {
    const value = (await secretOf(name, from, expander, homeDir)).trim();
    if (value === "") throw new NeedsConfig(name, `Its ${name} is empty.`);
    secrets.push(value);
    return value;
  };
  const proof = await proofOf(key, clientSecret, take);
  if (idp !== undefined) {
    const { clientSecret: text } = idp;
    const filled: IdpOptions = {
      issuer: idp.issuer,
      clientId: idp.clientId,
      idToken: await take("id_token", { text: idp.idToken }),
      ...(text === undefined ? {} : { clientSecret: await take("idp_client_secret", { text }) }),
    };
    return { clientId, proof, trades: { idp: filled }, secrets };
  }
  if (workload === undefined) return { clientId, proof, secrets };
  const assertion = await take("workload_token", workload);
  return { clientId, proof, trades: { assertion }, secrets };
}

/**
 * Fills in the client of an entry that trades the tokens of principals, and the one that it has at the identity provider.
 * @throws NeedsConfig
 */
export async function expandTradeClient(
  { clientId, clientSecret, perUser }: OauthOptions,
  expander: TextExpander,
  context: Pick<ExpansionContext, "homeDir">,
): Promise<{ readonly client: ServiceClient; readonly idp?: Omit<IdpOptions, "idToken"> }> {
  const { key, idp } = perUser?.trade ?? {};
  const service = { grant: "client_credentials", ...(key === undefined ? {} : { key }) } as const;
  const own = {
    ...(clientId === undefined ? {} : { clientId }),
    ...(clientSecret === undefined ? {} : { clientSecret }),
  };
  const client = await expandServiceClient({ ...own, service }, expander, context);
  if (idp?.clientSecret === undefined) return idp === undefined ? { client } : { client, idp };
  const secret = (await expander.expand(idp.clientSecret)).trim();
  if (secret === "") throw new NeedsConfig("idp_client_secret", "Its idp_client_secret is empty.");
  const secrets = [...client.secrets, secret];
  return { client: { ...client, secrets }, idp: { ...idp, clientSecret: secret } };
}

async function proofOf(
  key: KeyOptions | undefined,
  clientSecret: string | undefined,
  take: (name: string, from: WrittenSecret) => Promise<string>,
): Promise<ServiceClient["proof"]> {
  if (key === undefined) {
    if (clientSecret === undefined) return "none";
    return { secret: await take("client_secret", { text: clientSecret }) };
  }
  const pem = await take("private_key", key);
  try {
    return { key: readClientKey(pem, key.algorithm, key.id) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new NeedsConfig("private_key", error.message);
  }
}

/** @throws NeedsConfig */
async function secretOf(
  name: string,
  { text, file: named = "" }: WrittenSecret,
  expander: TextExpander,
  homeDir: string,
): Promise<string> {
  if (text !== undefined) return expander.expand(text);
  const written = await expander.expand(named);
  const path = /^~[/\\]/.test(written) ? join(homeDir, written.slice(1)) : written;
  const key = `${name}_file`;
  if (!isAbsolute(path)) {
    throw new NeedsConfig(
      key,
      `${key} needs an absolute path, or one that begins with ~/: ${written}.`,
    );
  }
  const file = readTextFile(path);
  if (file.kind === "text") return file.text;
  const why = file.kind === "absent" ? "is not there" : file.reason;
  throw new NeedsConfig(key, `The file of its ${key}, ${path}, ${why}.`);
}

/** A key that signs for a client. */
interface ClientKey {
  readonly key: KeyObject;
  readonly algorithm: KeyAlgorithm;
  readonly id?: string;
}

/**
 * Reads a private key in PEM: PKCS #8, and openssl's older formats (PKCS #1, SEC 1).
 * @param wanted absent: the usual algorithm for such a key
 * @throws AppError `refused` when it is not a key, is too short, or does not fit the algorithm. No part of it is in the
 * message.
 */
export function readClientKey(pem: string, wanted?: KeyAlgorithm, id?: string): ClientKey {
  const key = parse(pem);
  const fitting = algorithmsOf(key);
  const [usual] = fitting;
  if (usual === undefined) {
    throw new AppError(
      "refused",
      `A private key of this kind cannot sign a login: use one of the curves P-256, P-384 or P-521, Ed25519, or RSA of at least ${oauthRsaBitsMin} bits.`,
    );
  }
  if (wanted !== undefined && !fitting.includes(wanted)) {
    throw new AppError(
      "refused",
      `The private key cannot do ${wanted}; it can do ${fitting.join(", ")}.`,
    );
  }
  return { key, algorithm: wanted ?? usual, ...(id === undefined ? {} : { id }) };
}

/**
 * Signs a proof of the client's identity, for one request to one authorization server (RFC 7523 section 2.2). Loads
 * jose with the first one.
 * @param now milliseconds since 1970
 */
export async function signAssertion(
  clientId: string,
  { key, algorithm, id }: ClientKey,
  issuer: string,
  now: number,
): Promise<string> {
  const { SignJWT } = await import("jose/jwt/sign");
  const from = Math.floor(now / 1000);
  const header = { alg: algorithm, typ: "JWT", ...(id === undefined ? {} : { kid: id }) };
  return new SignJWT()
    .setProtectedHeader(header)
    .setIssuer(clientId)
    .setSubject(clientId)
    .setAudience(issuer)
    .setIssuedAt(from)
    .setExpirationTime(from + oauthAssertionMsMax / 1000)
    .setJti(crypto.randomUUID())
    .sign(key);
}

function parse(pem: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (error) {
    const isLocked = /passphrase|password|encrypted/i.test(messageOf(error) + pem.slice(0, 100));
    throw new AppError(
      "refused",
      isLocked
        ? "The private key has a password. Remove it; the secret store keeps the key private."
        : "The private key cannot be read: it must be in PEM format, which begins with -----BEGIN PRIVATE KEY-----.",
    );
  }
}

/** The usual one first; none: such a key is not used. */
function algorithmsOf({
  asymmetricKeyType: type,
  asymmetricKeyDetails,
}: KeyObject): readonly KeyAlgorithm[] {
  const { namedCurve = "", modulusLength = 0 } = asymmetricKeyDetails ?? {};
  if (type === "ed25519") return ["EdDSA"];
  if (type === "ec") return curves.get(namedCurve) ?? [];
  if (type !== "rsa" || modulusLength < oauthRsaBitsMin) return [];
  return ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"];
}

/** By their OpenSSL names. */
const curves = new Map<string, readonly KeyAlgorithm[]>([
  ["prime256v1", ["ES256"]],
  ["secp384r1", ["ES384"]],
  ["secp521r1", ["ES512"]],
]);
