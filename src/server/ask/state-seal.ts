import { AppError } from "../../base/errors.ts";
import { requestStateCharsMax, requestStateMsMax } from "../../base/limits.ts";
import { UsedOnce } from "../../base/used-once.ts";
import { parseOwnJson, canonicalJson } from "../../base/values.ts";
import { FaultError } from "../../calls/ask-client.ts";
import { createFault, errorCodes } from "../../protocol/json-rpc.ts";
import type { ActiveRequest, Round } from "../connection/active-request.ts";
import type { ServerContext } from "../context/server-context.ts";

/** Another layout of the sealed data needs another name, so that old states do not open. */
const keyName = "scorpiox-code requestState 2";

/**
 * Seals texts so that who carries them can neither read nor change them, and so that they open only for the
 * purpose that they were sealed for (`base/sealed-text.ts`; docs/spec/modern.md#questions).
 */
export class StateSeal {
  readonly #readSecrets: ServerContext["stateKey"];
  #only: Uint8Array | undefined;

  /** @param readSecrets one, or several: the first seals, all open */
  constructor(readSecrets: ServerContext["stateKey"]) {
    this.#readSecrets = readSecrets;
  }

  /** The sealed text, in base64url; a nonce makes it another one each time. */
  async seal(text: string, purpose: string): Promise<string> {
    const { sealText } = await import("../../base/sealed-text.ts");
    const [key] = await this.#keys();
    if (key === undefined) throw new Error("there is no secret to seal with");
    return sealText(key, text, purpose);
  }

  /** Undefined for data that was not sealed by one of the secrets for this purpose. */
  async open(sealed: string, purpose: string): Promise<string | undefined> {
    if (sealed.length > requestStateCharsMax) return undefined;
    const { openText } = await import("../../base/sealed-text.ts");
    for (const key of await this.#keys()) {
      const text = openText(key, sealed, purpose);
      if (text !== undefined) return text;
    }
    return undefined;
  }

  /** A secret that is alone stays; of several there may be others next time. */
  async #keys(): Promise<readonly Uint8Array[]> {
    const secrets = this.#only ?? (await this.#readSecrets());
    if (secrets instanceof Uint8Array) this.#only = secrets;
    return Promise.all([secrets].flat().map(derivedKey));
  }
}

const derived = new WeakMap<Uint8Array, Uint8Array>();

/** A secret may serve other purposes too, so it is not used as it is. */
async function derivedKey(secret: Uint8Array): Promise<Uint8Array> {
  const known = derived.get(secret);
  if (known !== undefined) return known;
  const { deriveKey } = await import("../../base/sealed-text.ts");
  const key = deriveKey(secret, keyName);
  derived.set(secret, key);
  return key;
}

const seals = new WeakMap<ServerContext, StateSeal>();

/** The seal of a server: one for all of its connections, since a client may come back on another one. */
function sealOf(server: ServerContext): StateSeal {
  const known = seals.get(server);
  if (known !== undefined) return known;
  const seal = new StateSeal(() => server.stateKey());
  seals.set(server, seal);
  return seal;
}

const claims = new WeakMap<ServerContext, NonNullable<ServerContext["claimState"]>>();

/** Records the use of states of a server: where nobody else does, as long as the process lives. */
function claimOf(server: ServerContext): NonNullable<ServerContext["claimState"]> {
  const known = server.claimState ?? claims.get(server);
  if (known !== undefined) return known;
  const used = new UsedOnce();
  const claim: ServerContext["claimState"] = (...use) => Promise.resolve(used.claim(...use));
  claims.set(server, claim);
  return claim;
}

/** SHA-256. */
export async function digestOf(text: string): Promise<Buffer> {
  const { createHash } = await import("node:crypto");
  return createHash("sha256").update(text).digest();
}

interface RequestState {
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  readonly rounds: readonly Round[];
  readonly marks?: readonly string[] | undefined;
}

/** @throws AppError `limit` when there is more than a client should have to carry */
export async function sealRounds(
  rounds: readonly Round[],
  request: ActiveRequest,
  server: ServerContext,
  now: number,
): Promise<string> {
  const state: RequestState = {
    expiresAt: now + requestStateMsMax,
    rounds,
    marks: request.marks,
  };
  const sealed = await sealOf(server).seal(JSON.stringify(state), purposeOf(request));
  if (sealed.length <= requestStateCharsMax) return sealed;
  const message = `The answers so far need ${sealed.length} characters of requestState, of ${requestStateCharsMax} at most.`;
  throw new AppError("limit", message);
}

/**
 * A returned `requestState` is attacker's input until it has been opened (docs/spec/modern.md#questions). Its marks become the request's.
 * It is used up by that, before anything is done: sent once more, it would have one answer of a person take effect twice.
 * @throws FaultError -32602 for a state that was not sealed for this client and these parameters, has expired, or was used
 * @throws AppError when its use cannot be recorded
 */
export async function openRounds(
  sealed: unknown,
  request: ActiveRequest,
  server: ServerContext,
  now: number,
): Promise<readonly Round[]> {
  if (typeof sealed !== "string") throw invalidState("requestState must be a string");
  const text = await sealOf(server).open(sealed, purposeOf(request));
  if (text === undefined) {
    throw invalidState(
      "requestState does not belong to this request, or was changed; send it back as it came, with the same parameters",
    );
  }
  // Only this program can have sealed it: its form is known.
  const { expiresAt, rounds, marks } = parseOwnJson<RequestState>(text);
  if (now >= expiresAt) throw invalidState("requestState has expired; make the call again without");
  const use = (await digestOf(sealed)).toString("base64url");
  if (!(await claimOf(server)(use, expiresAt))) {
    throw invalidState("requestState was used before; make the call again without");
  }
  request.marks = marks;
  return rounds;
}

export function invalidState(message: string): FaultError {
  return new FaultError(createFault(errorCodes.invalidParams, `Invalid params: ${message}`));
}

/** The scope of a state: one client, one method, one set of parameters, which name the tool or prompt. */
function purposeOf({ version, method, params, client }: ActiveRequest): string {
  const { _meta, inputResponses: _, requestState: __, ...salient } = params ?? {};
  return canonicalJson([version, method, client.id, salient]);
}
