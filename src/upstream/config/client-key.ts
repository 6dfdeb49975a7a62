import { createPrivateKey, type KeyObject } from "node:crypto";

import { AppError, messageOf } from "../../base/errors.ts";
import { oauthAssertionMsMax, oauthRsaBitsMin } from "../../base/upstream-limits.ts";
import type { KeyAlgorithm } from "./service-options.ts";

/** A key that signs for a client. */
export interface ClientKey {
  readonly key: KeyObject;
  readonly algorithm: KeyAlgorithm;
  readonly id?: string;
}

/**
 * Reads a private key in PEM: PKCS #8, and what openssl writes beside it (PKCS #1, SEC 1).
 * @param wanted absent: the usual algorithm for such a key
 * @throws AppError `refused` when it is none, is too short, or does not fit the algorithm. No part of it is in the message.
 */
export function readClientKey(pem: string, wanted?: KeyAlgorithm, id?: string): ClientKey {
  const key = parse(pem);
  const fitting = algorithmsOf(key);
  const [usual] = fitting;
  if (usual === undefined) {
    throw new AppError(
      "refused",
      `A private key of this kind cannot sign a login: take one of the curves P-256, P-384 or P-521, Ed25519, or RSA of at least ${oauthRsaBitsMin} bits.`,
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
 * A proof of who the client is, for one request to one authorization server (RFC 7523 section 2.2). jose is loaded with
 * the first one.
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
        ? "The private key has a password on it. Take it off; the secret store keeps it private."
        : "The private key cannot be read: it has to be one in PEM, which begins with -----BEGIN PRIVATE KEY-----.",
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

/** By what OpenSSL calls them. */
const curves = new Map<string, readonly KeyAlgorithm[]>([
  ["prime256v1", ["ES256"]],
  ["secp384r1", ["ES384"]],
  ["secp521r1", ["ES512"]],
]);
