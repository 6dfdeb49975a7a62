import { describe, expect, test } from "bun:test";
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
} from "node:crypto";
import { decodeProtectedHeader } from "jose";
import { jwtVerify } from "jose/jwt/verify";

import { oauthAssertionMsMax, oauthRsaBitsMin } from "../../../src/base/upstream-limits.ts";
import type { KeyAlgorithm } from "../../../src/upstream/config/server-entry.ts";
import { readClientKey, signAssertion } from "../../../src/upstream/config/service-client.ts";

type Encoding = "pkcs8" | "pkcs1" | "sec1";

function curve(namedCurve: string): KeyObject {
  return generateKeyPairSync("ec", { namedCurve }).privateKey;
}

function rsa(modulusLength: number): KeyObject {
  return generateKeyPairSync("rsa", { modulusLength }).privateKey;
}

function pemOf(key: KeyObject, type: Encoding): string {
  return key.export({ type, format: "pem" });
}

const longEnough = rsa(oauthRsaBitsMin);
const p256 = curve("P-256");

describe("readClientKey()", () => {
  test.each<[string, KeyObject, Encoding, KeyAlgorithm | undefined, KeyAlgorithm]>([
    ["P-256", p256, "sec1", undefined, "ES256"],
    ["P-384", curve("P-384"), "pkcs8", undefined, "ES384"],
    ["P-521", curve("P-521"), "pkcs8", "ES512", "ES512"],
    ["RSA", longEnough, "pkcs1", undefined, "RS256"],
    ["RSA with PSS", longEnough, "pkcs8", "PS384", "PS384"],
    ["Ed25519", generateKeyPairSync("ed25519").privateKey, "pkcs8", undefined, "EdDSA"],
  ])("%s signs what its public key verifies", async (_, key, encoding, wanted, algorithm) => {
    const read = readClientKey(pemOf(key, encoding), wanted, "k1");
    const now = 1_000_000_000_000;
    const jwt = await signAssertion("me", read, "https://auth.test", now);
    const options = { currentDate: new Date(now), audience: "https://auth.test" };
    const { payload } = await jwtVerify(jwt, createPublicKey(pemOf(key, encoding)), options);
    expect([decodeProtectedHeader(jwt), payload]).toEqual([
      { alg: algorithm, typ: "JWT", kid: "k1" },
      {
        iss: "me",
        sub: "me",
        aud: "https://auth.test",
        iat: now / 1000,
        exp: (now + oauthAssertionMsMax) / 1000,
        jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
      },
    ]);
  });

  const locked = createPrivateKey(pemOf(p256, "pkcs8")).export({
    type: "pkcs8",
    format: "pem",
    cipher: "aes-256-cbc",
    passphrase: "x",
  });
  test.each<[string, string, KeyAlgorithm | undefined, string]>([
    ["no key", "not-a-key-canary", undefined, "-----BEGIN PRIVATE KEY-----"],
    [
      "a public key",
      createPublicKey(p256).export({ type: "spki", format: "pem" }),
      undefined,
      "must be in PEM format",
    ],
    ["a key with a password", locked, undefined, "has a password"],
    [
      "a short key",
      pemOf(rsa(oauthRsaBitsMin - 8), "pkcs8"),
      undefined,
      `at least ${oauthRsaBitsMin} bits`,
    ],
    ["a curve that no algorithm is for", pemOf(curve("P-224"), "pkcs8"), undefined, "P-256"],
    [
      "a key for encryption",
      pemOf(generateKeyPairSync("x25519").privateKey, "pkcs8"),
      undefined,
      "cannot sign",
    ],
    ["another algorithm", pemOf(p256, "pkcs8"), "RS256", "cannot do RS256; it can do ES256"],
  ])("is refused: %s", (_, pem, wanted, text) => {
    expect(() => readClientKey(pem, wanted)).toThrow(text);
    expect(() => readClientKey(pem, wanted)).not.toThrow("canary");
  });
});
