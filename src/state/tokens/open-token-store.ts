import { AppError } from "../../base/errors.ts";
import { Lazy } from "../../base/lazy.ts";
import { tokenChangeTriesMax } from "../../base/limits.ts";
import { parseOwnJson } from "../../base/values.ts";
import type { PostgresStore } from "../store/postgres/postgres-store.ts";
import type { PostgresPlace } from "../store/postgres/store-url.ts";
import { FileTokenStore } from "./file-token-store.ts";
import {
  type Rotation,
  type TokenRecord,
  type TokenStore,
  tokenStoreFile,
  withAdded,
  withRevoked,
  withRotated,
  withUses,
} from "./token-store.ts";

/** The store of made tokens that this start is configured for. @param engine undefined: the file of this user */
export function openTokenStore(scorpioxDir: string, engine?: PostgresPlace): TokenStore {
  return engine === undefined
    ? new FileTokenStore(tokenStoreFile(scorpioxDir))
    : new EngineTokenStore(engine);
}

/** Whether tokens were ever made in the engine. @throws AppError when it cannot be asked: then nobody knows who may connect */
export async function hasEngineTokens(engine: PostgresPlace): Promise<boolean> {
  await using store = new EngineTokenStore(engine);
  return await store.hasTokens();
}

const documentName = "tokens";

/** Others that change the tokens at the same time do not keep step. */
const pauseMsMax = 20;

/** Made tokens in the engine of all replicas, as one document that is replaced if nobody else was quicker. */
export class EngineTokenStore implements TokenStore {
  readonly place: string;
  readonly #store: Lazy<PostgresStore>;

  constructor(place: PostgresPlace) {
    this.place = place.name;
    this.#store = new Lazy(async () => {
      const module = await import("../store/postgres/postgres-store.ts");
      return new module.PostgresStore(place);
    });
  }

  async list(): Promise<readonly TokenRecord[]> {
    return (await this.#read()).records;
  }

  async version(): Promise<string> {
    const store = await this.#store.get();
    return String(await store.call({ method: "documents.version", request: named }));
  }

  /** Whether a token was ever made there: from then on a server needs one. @throws AppError */
  async hasTokens(): Promise<boolean> {
    return (await this.version()) !== "0";
  }

  async add(record: TokenRecord): Promise<void> {
    await this.#change((records) => ({ records: withAdded(records, record), result: undefined }));
  }

  revoke(label: string, nowMs: number): Promise<number> {
    return this.#change((before) => {
      const { records, count } = withRevoked(before, label, nowMs);
      return { records, result: count };
    });
  }

  rotate(rotation: Rotation): Promise<TokenRecord> {
    return this.#change((before) => {
      const { records, record } = withRotated(before, rotation);
      return { records, result: record };
    });
  }

  async noteUses(uses: ReadonlyMap<string, number>): Promise<void> {
    await this.#change((records) => ({ records: withUses(records, uses), result: undefined }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#store.close();
    await (await this.#store.making)?.[Symbol.asyncDispose]();
  }

  async #read(): Promise<{
    readonly version: number;
    readonly content: string;
    readonly records: readonly TokenRecord[];
  }> {
    const store = await this.#store.get();
    const document = await store.call({ method: "documents.get", request: named });
    const { version, content } = document ?? { version: 0, content: "[]" };
    return { version, content, records: parseOwnJson(content) };
  }

  async #change<Result>(
    change: (records: readonly TokenRecord[]) => {
      readonly records: readonly TokenRecord[];
      readonly result: Result;
    },
  ): Promise<Result> {
    const store = await this.#store.get();
    for (let tries = 0; tries < tokenChangeTriesMax; tries += 1) {
      const { version, content: before, records: known } = await this.#read();
      const { records, result } = change(known);
      const content = JSON.stringify(records);
      if (content === before) return result;
      const request = { ...named, version, content };
      if ((await store.call({ method: "documents.put", request })).isPut) return result;
      await Bun.sleep(Math.random() * pauseMsMax);
    }
    throw new AppError(
      "system",
      `${this.place}: others change the tokens all the time. Nothing was changed: try again later.`,
    );
  }
}

const named = { name: documentName } as const;
