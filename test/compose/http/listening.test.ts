import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { AppError } from "../../../src/base/errors.ts";
import { listenFault, readTlsFiles, tlsFaultOf } from "../../../src/compose/http/listening.ts";

test("a port that is taken is said to be, with what to do", () => {
  using taken = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
  const { port = 0 } = taken;
  const again = (): unknown =>
    Bun.serve({ hostname: "127.0.0.1", port, reusePort: false, fetch: () => new Response() });
  expect(listenFault(`127.0.0.1:${port}`, errorOf(again)).message).toBe(
    `Cannot listen on 127.0.0.1:${port}: the port is in use. Choose another one with --http, or 0 for a free one.`,
  );
});

test.each([
  ["EADDRNOTAVAIL", "this machine has no such address"],
  ["EACCES", "Choose a higher one"],
  ["EMFILE", "too many. Choose another address or port with --http."],
])("%s: %s", (code, text) => {
  expect(listenFault("x:1", Object.assign(new Error("too many"), { code })).message).toContain(
    text,
  );
});

function errorOf(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return error;
  }
}

const folder = mkdtempSync(join(tmpdir(), "tls-files-"));
afterAll(() => rmSync(folder, { recursive: true }));

function write(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const certificate = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
const cert = write("cert.pem", `Subject: me\n${certificate}`);
const bad = write("bad.pem", "no PEM\n");
const keyOf = (kind: string): string => `-----BEGIN ${kind}-----\nAAAA\n-----END ${kind}-----\n`;

describe("readTlsFiles()", () => {
  test.each(["PRIVATE KEY", "EC PRIVATE KEY", "RSA PRIVATE KEY", "ENCRYPTED PRIVATE KEY"])(
    "a certificate and a file of %s",
    (kind) => {
      const key = keyOf(kind);
      expect(readTlsFiles(cert, write("key.pem", key))).toEqual({
        cert: `Subject: me\n${certificate}`,
        key,
      });
    },
  );

  const key = write("good-key.pem", keyOf("PRIVATE KEY"));
  test.each([
    [bad, key, `The file ${bad} of --tls-cert has no certificate in PEM`],
    [key, cert, `The file ${key} of --tls-cert has no certificate in PEM`],
    [write("empty.pem", ""), key, "of --tls-cert has no certificate in PEM"],
    [cert, bad, `The file ${bad} of --tls-key has no private key in PEM`],
    [cert, cert, `The file ${cert} of --tls-key has no private key in PEM`],
    [join(folder, "none"), key, "The file of --tls-cert cannot be read: ENOENT"],
    [cert, join(folder, "none"), "The file of --tls-key cannot be read: ENOENT"],
  ])("%s and %s: the flag and the file are named", (certificatePath, keyPath, message) => {
    expect(() => readTlsFiles(certificatePath, keyPath)).toThrow(message);
  });
});

describe("tlsFaultOf()", () => {
  const failure = (code: string): Error => Object.assign(new Error("BoringSSL says"), { code });

  test.each([
    ["ERR_OSSL_X509_KEY_VALUES_MISMATCH", "the key is not that of the certificate"],
    ["ERR_OSSL_BAD_DECRYPT", "the key has a passphrase"],
    ["ERR_OSSL_PEM_BAD_BASE64_DECODE", "a file is damaged (ERR_OSSL_PEM_BAD_BASE64_DECODE)"],
  ])("%s: %s", (code, reason) => {
    const fault = tlsFaultOf(failure(code));
    expect(fault).toBeInstanceOf(AppError);
    expect(fault?.message).toStartWith(`--tls-cert and --tls-key cannot be used: ${reason}`);
  });

  test.each(["EADDRINUSE", "EACCES"])("%s is no fault of the files", (code) => {
    expect(tlsFaultOf(failure(code))).toBe(undefined);
  });
});
