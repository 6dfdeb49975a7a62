import { isObject } from "../../base/values.ts";
import type { HubPurpose } from "./hub-link.ts";
import { type Handshake, isHex, isSameProof, newNonce, proofOf } from "./proof.ts";

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
