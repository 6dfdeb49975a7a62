import { takeSecret } from "../config/take-secret.ts";
import type { PostgresPlace } from "../state/store/postgres/store-url.ts";

/**
 * Where `STORE_URL` says that tasks and plans are kept; undefined without it: in the file of this user.
 * @throws AppError `config` when it cannot be used, `usage` when it is given twice
 */
export async function readStorePlace(): Promise<PostgresPlace | undefined> {
  const url = takeSecret("STORE_URL");
  if (url === undefined) return undefined;
  const { readStoreUrl } = await import("../state/store/postgres/store-url.ts");
  return readStoreUrl(url);
}
