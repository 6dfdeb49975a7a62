import type { PostgresPlace } from "../store/postgres/store-url.ts";
import { EngineTokenStore } from "./engine-token-store.ts";
import { FileTokenStore } from "./file-token-store.ts";
import { tokenStoreFile } from "./token-place.ts";
import type { TokenStore } from "./token-store.ts";

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
