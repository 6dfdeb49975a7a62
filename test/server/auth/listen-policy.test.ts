import { describe, expect, test } from "bun:test";

import { decideListening } from "../../../src/server/auth/listen-policy.ts";

const nothing = { hasTokens: false, hasKeySet: false, hasTls: false };

describe("decideListening()", () => {
  test.each([
    "127.0.0.1",
    "127.8.9.10",
    "::1",
    "[::1]",
    "0:0:0:0:0:0:0:1",
    "localhost",
    "LOCALHOST",
  ])("%s needs nothing", (host) => {
    expect(decideListening({ host, ...nothing })).toEqual({ kind: "allowed", warnings: [] });
  });

  test.each([
    "0.0.0.0",
    "::",
    "[::]",
    "",
    "*",
    "192.168.1.2",
    "10.0.0.1",
    "::ffff:127.0.0.1",
    "127.1",
    "0x7f000001",
    "2130706433",
    "127.0.0.1.evil.example",
    "127.0.0.256",
    "localhost.evil.example",
    "mylocalhost",
    "::1]@evil",
    "[::1",
    "fe80::1%eth0",
  ])("%p is refused without tokens and keys, with the remedy", (host) => {
    expect(decideListening({ host, ...nothing, hasTls: true })).toEqual({
      kind: "refused",
      reason:
        `Listening on "${host}" without authentication is refused: anyone who reaches it could run commands here. ` +
        "Give --token-file or --jwks, make tokens with token add, or listen on 127.0.0.1.",
    });
  });

  test.each([
    { hasTokens: true, hasKeySet: false },
    { hasTokens: false, hasKeySet: true },
  ])("another address with %p is allowed, without TLS with a warning", (auth) => {
    const wish = { host: "0.0.0.0", ...auth };
    expect(decideListening({ ...wish, hasTls: true })).toEqual({ kind: "allowed", warnings: [] });
    expect(decideListening({ ...wish, hasTls: false })).toEqual({
      kind: "allowed",
      warnings: [
        'Listening on "0.0.0.0" without TLS: tokens and results can be read on the way. ' +
          "Put a TLS proxy in front, or listen on 127.0.0.1.",
      ],
    });
  });
});
