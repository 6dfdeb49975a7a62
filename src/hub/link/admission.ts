import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";

import { randomHex } from "../../base/digests.ts";
import { isObject } from "../../base/values.ts";
import type { HubPurpose } from "./hub-link.ts";
import type { HubPlace } from "./hub-place.ts";

/** The messages of a handshake, in their order. Nothing else crosses before it is over. */
export type HubGreeting =
  | { readonly generation: number; readonly nonce: string }
  | { readonly proof: string }
  | { readonly admitted: true }
  | { readonly refused: string };
export type ClientGreeting =
  | { readonly nonce: string; readonly proof: string }
  | { readonly purpose: HubPurpose; readonly clientKey: string };

/** A frame of a handshake has so many bytes at most. */
export const greetingBytesMax = 4096;
/** Both sides give up a handshake after this time. */
export const handshakeMsMax = 5_000;

/** Known to both sides before the handshake begins. */
export interface Expected {
  readonly key: string;
  readonly generation: number;
  readonly hubPid: number;
  readonly clientPid: number;
}

/** The wish of a client that has proved the key. */
export interface ShownClient {
  readonly purpose: HubPurpose;
  readonly clientKey: string;
}

const isPurpose = (value: unknown): value is HubPurpose =>
  value === "upstream" || value === "kept" || value === "watch";

/** The hub's side of a handshake, as the texts that it gets and gives. */
export class HubHandshake {
  readonly #expected: Expected;
  readonly #nonce = newNonce();
  #isProved = false;

  constructor(expected: Expected) {
    this.#expected = expected;
  }

  /** The first text to the client. */
  get opening(): HubGreeting {
    return { generation: this.#expected.generation, nonce: this.#nonce };
  }

  /** The client's next text: gives the answer to it, the client when the handshake is over, or why it has failed. */
  take(
    text: string,
  ): { readonly answer: HubGreeting } | ShownClient | { readonly refusal: string } {
    const value = parsed(text);
    return this.#isProved ? readWish(value) : this.#check(value);
  }

  #check({ nonce, proof }: Readonly<Record<string, unknown>>): ReturnType<HubHandshake["take"]> {
    if (!isHex(nonce)) return { refusal: "its handshake cannot be read" };
    const shake: Handshake = { ...this.#expected, hubNonce: this.#nonce, clientNonce: nonce };
    if (!isSameProof(proofOf(this.#expected.key, "client", shake), proof)) {
      return { refusal: "it does not know the key of this hub" };
    }
    this.#isProved = true;
    return { answer: { proof: proofOf(this.#expected.key, "hub", shake) } };
  }
}

function readWish({
  purpose,
  clientKey,
}: Readonly<Record<string, unknown>>): ShownClient | { readonly refusal: string } {
  if (!isPurpose(purpose) || !isClientKey(clientKey)) {
    return { refusal: "it wants something that this hub does not have" };
  }
  return { purpose, clientKey };
}

const isClientKey = (value: unknown): value is string =>
  typeof value === "string" && /^[\w-]{8,64}$/.test(value);

/** The client's side: the same texts from the other end. */
export class ClientHandshake {
  readonly #expected: Expected;
  readonly #wish: ShownClient;
  readonly #nonce = newNonce();
  #shake: Handshake | undefined;
  #isProved = false;

  constructor(expected: Expected, wish: ShownClient) {
    this.#expected = expected;
    this.#wish = wish;
  }

  /** The hub's next text: gives the answer to it, that this client is admitted, or why the handshake has failed. */
  take(
    text: string,
  ):
    | { readonly answer: ClientGreeting }
    | { readonly admitted: true }
    | { readonly refusal: string } {
    const value = parsed(text);
    if (typeof value["refused"] === "string") return { refusal: value["refused"] };
    if (this.#shake === undefined) return this.#prove(value);
    if (!this.#isProved) return this.#check(value, this.#shake);
    return value["admitted"] === true
      ? { admitted: true }
      : { refusal: "its handshake cannot be read" };
  }

  #prove({
    generation,
    nonce,
  }: Readonly<Record<string, unknown>>): ReturnType<ClientHandshake["take"]> {
    if (generation !== this.#expected.generation || !isHex(nonce)) {
      return { refusal: "it is of another generation than its lock" };
    }
    this.#shake = { ...this.#expected, hubNonce: nonce, clientNonce: this.#nonce };
    const proof = proofOf(this.#expected.key, "client", this.#shake);
    return { answer: { nonce: this.#nonce, proof } };
  }

  #check(
    { proof }: Readonly<Record<string, unknown>>,
    shake: Handshake,
  ): ReturnType<ClientHandshake["take"]> {
    if (!isSameProof(proofOf(this.#expected.key, "hub", shake), proof)) {
      return { refusal: "it does not know its own key" };
    }
    this.#isProved = true;
    return { answer: this.#wish };
  }
}

/** Empty for anything that is not an object of JSON. */
function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** Bytes of a key and of a nonce. */
const secretBytes = 32;

/** Both sides put all of this into their proofs, which are therefore worthless in another handshake. */
interface Handshake {
  readonly generation: number;
  readonly hubPid: number;
  readonly clientPid: number;
  readonly hubNonce: string;
  readonly clientNonce: string;
}

export const newNonce = (): string => randomHex(secretBytes);

/** Whether `value` has the form of a nonce or a proof. */
function isHex(value: unknown): value is string {
  return typeof value === "string" && /^[0-9a-f]{64}$/.test(value);
}

/** Shows that a side knows the key, without showing the key. */
function proofOf(key: string, role: "client" | "hub", shake: Handshake): string {
  const { generation, hubPid, clientPid, hubNonce, clientNonce } = shake;
  const text = ["scorpiox-hub 1", role, generation, hubPid, clientPid, hubNonce, clientNonce].join(
    "\n",
  );
  return new Bun.CryptoHasher("sha256", Buffer.from(key, "hex")).update(text).digest("hex");
}

/** In a time that does not depend on where they differ. */
function isSameProof(expected: string, given: unknown): boolean {
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
  // Removes whatever is there, also a link, through which nothing must be written.
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
