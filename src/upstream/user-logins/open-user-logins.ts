import type { Roads } from "../../network/route.ts";
import { LoginVault } from "./login-vault.ts";
import { RowFiles } from "./row-files.ts";
import { parseSecretsKeys } from "./secrets-keys.ts";
import { UserLogins, type UserLoginsParts } from "./user-logins.ts";

export interface OpenUserLoginsParts extends Omit<UserLoginsParts, "vault"> {
  /** `~/.scorpiox/user-logins`. */
  readonly folder: string;
  /** See `parseSecretsKeys`. */
  readonly keys: { readonly text: string; readonly place: string };
  /** Routes to authorization servers. */
  readonly roads: Roads;
}

/** The logins of principals, in files of this machine. @throws AppError `config` for keys that cannot be used */
export function openUserLogins({ folder, keys, roads, ...parts }: OpenUserLoginsParts): UserLogins {
  const vault = new LoginVault({
    rows: new RowFiles(folder),
    keys: parseSecretsKeys(keys.text, keys.place),
    roads,
    clock: Date.now,
  });
  return new UserLogins({ ...parts, vault });
}
