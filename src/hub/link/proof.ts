import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";

import { randomHex } from "../../base/digests.ts";
import type { HubPlace } from "./hub-place.ts";

/** Bytes of a key and of a nonce. */
const secretBytes = 32;

/** Both sides put all of this into their proofs, which are therefore worthless in another handshake. */
export interface Handshake {
  readonly generation: number;
  readonly hubPid: number;
  readonly clientPid: number;
  readonly hubNonce: string;
  readonly clientNonce: string;
}

export const newNonce = (): string => randomHex(secretBytes);

/** Whether `value` has the form of a nonce or a proof. */
export function isHex(value: unknown): value is string {
  return typeof value === "string" && /^[0-9a-f]{64}$/.test(value);
}

/** Shows that a side knows the key, without showing the key. */
export function proofOf(key: string, role: "client" | "hub", shake: Handshake): string {
  const { generation, hubPid, clientPid, hubNonce, clientNonce } = shake;
  const text = ["scorpiox-hub 1", role, generation, hubPid, clientPid, hubNonce, clientNonce].join(
    "\n",
  );
  return new Bun.CryptoHasher("sha256", Buffer.from(key, "hex")).update(text).digest("hex");
}

/** In a time that does not depend on where they differ. */
export function isSameProof(expected: string, given: unknown): boolean {
  if (!isHex(given)) return false;
  let difference = 0;
  for (let index = 0; index < expected.length; index++) {
    difference |= expected.charCodeAt(index) ^ given.charCodeAt(index);
  }
  return difference === 0 && expected.length === given.length;
}

/** Makes the key of a hub, which only this user can read, and writes it whole or not at all. @throws a system error */
export function makeKey(place: HubPlace): string {
  const key = randomHex(secretBytes);
  const draft = `${place.keyFile}.new`;
  // Whatever lies there, also a link: it must not be written through.
  rmSync(draft, { recursive: true, force: true });
  writeFileSync(draft, key, { mode: 0o600, flag: "wx" });
  renameSync(draft, place.keyFile);
  return key;
}

/** The key of the hub that listens; undefined when there is none. */
export function readKey(place: HubPlace): string | undefined {
  try {
    const text = readFileSync(place.keyFile, "latin1");
    return isHex(text) ? text : undefined;
  } catch {
    return undefined;
  }
}
