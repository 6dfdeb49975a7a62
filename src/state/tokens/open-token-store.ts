import { FileTokenStore } from "./file-token-store.ts";
import { tokenStoreFile } from "./token-place.ts";
import type { TokenStore } from "./token-store.ts";

/** The store of made tokens that this start is configured for. */
export function openTokenStore(scorpioxDir: string): TokenStore {
  return new FileTokenStore(tokenStoreFile(scorpioxDir));
}
