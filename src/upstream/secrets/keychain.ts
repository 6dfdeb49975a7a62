import { AppError, messageOf } from "../../base/errors.ts";
import {
  keychainAnswerMs,
  keychainPieceBytes,
  keychainPiecesMax,
  keychainProbeMs,
} from "../../base/upstream-limits.ts";

/** The used part of `Bun.secrets`. */
export interface SystemSecrets {
  get(place: { service: string; name: string }): Promise<string | null>;
  set(secret: { service: string; name: string; value: string }): Promise<void>;
  delete(place: { service: string; name: string }): Promise<boolean>;
}

/** The prefix of a secret that is stored in pieces; no header or environment variable begins with it. */
const piecesMark = "\u0001pieces:";

/** The keychain of the system: macOS Keychain, Secret Service, Windows Credential Manager. */
export class Keychain {
  readonly #secrets: SystemSecrets;
  readonly #service: string;
  readonly #pieceBytes: number;
  #isThere: Promise<boolean> | undefined;

  /**
   * @param service under which all secrets of one user's folder are kept
   * @param pieceBytes the longest value of one entry; only Windows has such a limit
   */
  constructor(
    service: string,
    secrets: SystemSecrets = Bun.secrets,
    pieceBytes = process.platform === "win32" ? keychainPieceBytes : Number.POSITIVE_INFINITY,
  ) {
    this.#service = service;
    this.#secrets = secrets;
    this.#pieceBytes = pieceBytes;
  }

  /** Whether this system has a keychain that answers. Probed once. */
  isThere(): Promise<boolean> {
    this.#isThere ??= this.#probe();
    return this.#isThere;
  }

  /** @throws AppError `system` */
  async get(name: string): Promise<string | undefined> {
    const first = await this.#one(name);
    const pieces = first === undefined ? [] : piecesOf(name, first);
    if (pieces.length === 0) return first;
    let text = "";
    for (const piece of pieces) {
      const part = await this.#one(piece);
      if (part === undefined)
        throw new AppError("system", "The keychain has lost a part of the secret.");
      text += part;
    }
    return Buffer.from(text, "base64").toString();
  }

  /** Concurrent readers get the old value or the new one. @throws AppError `system` */
  async set(name: string, value: string): Promise<void> {
    const before = await this.#one(name);
    if (Buffer.byteLength(value) <= this.#pieceBytes && !value.startsWith(piecesMark)) {
      await this.#put(name, value);
    } else {
      await this.#setPieces(name, Buffer.from(value).toString("base64"));
    }
    await this.#deleteAll(before === undefined ? [] : piecesOf(name, before));
  }

  /** False when there was none. @throws AppError `system` */
  async remove(name: string): Promise<boolean> {
    const first = await this.#one(name);
    if (first === undefined) return false;
    const wasThere = await this.#delete(name);
    await this.#deleteAll(piecesOf(name, first));
    return wasThere;
  }

  async #setPieces(name: string, text: string): Promise<void> {
    const length = Math.min(this.#pieceBytes, text.length);
    const count = Math.ceil(text.length / length);
    const first = `${piecesMark}${count}:${crypto.randomUUID()}`;
    for (const [index, piece] of piecesOf(name, first).entries()) {
      await this.#put(piece, text.slice(index * length, (index + 1) * length));
    }
    await this.#put(name, first);
  }

  async #deleteAll(names: readonly string[]): Promise<void> {
    for (const name of names) await this.#delete(name);
  }

  async #probe(): Promise<boolean> {
    try {
      const place = { service: this.#service, name: "probe" };
      await inTime(this.#secrets.get(place), keychainProbeMs);
      return true;
    } catch {
      return false;
    }
  }

  async #one(name: string): Promise<string | undefined> {
    const found = this.#secrets.get({ service: this.#service, name });
    return (await answered(found)) ?? undefined;
  }

  async #put(name: string, value: string): Promise<void> {
    await answered(this.#secrets.set({ service: this.#service, name, value }));
  }

  async #delete(name: string): Promise<boolean> {
    return answered(this.#secrets.delete({ service: this.#service, name }));
  }
}

/** The names of the pieces to which the entry `first` refers; none when it is the secret itself. */
function piecesOf(name: string, first: string): readonly string[] {
  if (!first.startsWith(piecesMark)) return [];
  const [count, tag = ""] = first.slice(piecesMark.length).split(":");
  const length = Math.min(Math.max(0, Math.trunc(Number(count)) || 0), keychainPiecesMax);
  return Array.from({ length }, (_, index) => `${name} ${tag} ${index}`);
}

async function answered<Value>(work: Promise<Value>): Promise<Value> {
  try {
    return await inTime(work, keychainAnswerMs);
  } catch (error) {
    throw new AppError("system", `The keychain refuses: ${messageOf(error)}`);
  }
}

async function inTime<Value>(work: Promise<Value>, ms: number): Promise<Value> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error("it does not answer.")), ms);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
