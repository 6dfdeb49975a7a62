import { existsSync } from "node:fs";
import { join } from "node:path";

import type { SecretPlace } from "../upstream/secrets/secret-store.ts";
import { openUserSecrets, type UserSecrets } from "../upstream/secrets/user-secrets.ts";
import type { CommandContext } from "./command.ts";
import type { StartUp } from "./start-up.ts";

/** The secrets of this user for one command. */
export interface SecretsOfCommand {
  readonly secrets: UserSecrets;
  /** Reports the place with the first secret that is kept in a file. */
  readonly announce: (place: SecretPlace) => void;
}

export function openSecrets(
  { io, print }: Pick<CommandContext, "io" | "print">,
  { dirs }: Pick<StartUp, "dirs">,
): SecretsOfCommand {
  const folder = join(dirs.scorpioxDir, "secrets");
  const isFirst = !existsSync(folder);
  return {
    secrets: openUserSecrets(dirs, io.env),
    announce: (place) => {
      if (place === "keychain" || !isFirst) return;
      print.note(
        `No keychain is available: secrets are kept in files that only you can read, in ${folder}.`,
      );
    },
  };
}
