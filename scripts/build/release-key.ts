import { createPublicKey, type KeyObject } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The one place that has the public key. */
const file = "scripts/release-key.pem";

/**
 * The public key that the installers of a release are given: its SubjectPublicKeyInfo in base64, in one line.
 * @throws Error with one line for a person while the owner has not put it there, or it is another kind of key
 */
export function requireReleaseKey(root: string): string {
  const text = readFileSync(join(root, file), "utf8");
  if (!text.includes("-----BEGIN")) {
    throw new Error(
      `${file} has no key yet: its owner puts the public key there as it says, then build the release`,
    );
  }
  const key = readPublicKey(text);
  if (key?.asymmetricKeyDetails?.namedCurve !== "prime256v1") {
    throw new Error(`${file} is no public key of ECDSA P-256: make it as docs/install.md says`);
  }
  return key.export({ type: "spki", format: "der" }).toString("base64");
}

/** Undefined for text that is none, and for a private key: that must not be in the repository. */
function readPublicKey(text: string): KeyObject | undefined {
  if (text.includes("PRIVATE KEY")) return undefined;
  try {
    return createPublicKey(text);
  } catch {
    return undefined;
  }
}
