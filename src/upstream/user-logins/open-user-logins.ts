import type { Roads } from "../../network/route.ts";
import type { PostgresPlace } from "../../state/store/postgres/store-url.ts";
import { LoginVault } from "./login-vault.ts";
import { RowFiles } from "./row-files.ts";
import type { SealedRows } from "./sealed-rows.ts";
import { parseSecretsKeys } from "./secrets-keys.ts";
import { UserLogins, type UserLoginsParts } from "./user-logins.ts";

export interface OpenUserLoginsParts extends Omit<UserLoginsParts, "vault"> {
  /** `~/.scorpiox/user-logins`: where they are kept without an engine. */
  readonly folder: string;
  readonly engine?: PostgresPlace | undefined;
  /** See `parseSecretsKeys`. */
  readonly keys: { readonly text: string; readonly place: string };
  /** Routes to authorization servers. */
  readonly roads: Roads;
}

/** The logins of principals. @throws AppError `config` for keys that cannot be used */
export async function openUserLogins({
  folder,
  engine,
  keys,
  roads,
  ...parts
}: OpenUserLoginsParts): Promise<UserLogins> {
  const vault = new LoginVault({
    rows: engine === undefined ? new RowFiles(folder) : await openEngineRows(engine),
    keys: parseSecretsKeys(keys.text, keys.place),
    roads,
    clock: Date.now,
  });
  return new UserLogins({ ...parts, vault });
}

async function openEngineRows(engine: PostgresPlace): Promise<SealedRows> {
  const { EngineRows } = await import("./engine-rows.ts");
  return new EngineRows(engine);
}
