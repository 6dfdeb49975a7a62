import type { Environment } from "../../config/environment.ts";
import type { ConfigDirs } from "../../config/places.ts";
import type { ExpansionContext } from "./expansion-context.ts";
import { KeptOutputs } from "../secrets/kept-outputs.ts";
import { runSecretCommand } from "../secrets/run-secret-command.ts";
import type { SecretStore } from "../secrets/secret-store.ts";

/**
 * What references are filled in from, of this user and this project.
 * @param dirs whose project may become another one
 * @param signal ends commands that run
 */
export function createExpansion(
  dirs: Pick<ConfigDirs, "homeDir" | "projectDir">,
  env: Environment,
  secrets: SecretStore,
  signal?: AbortSignal,
): ExpansionContext {
  const { homeDir } = dirs;
  const cwd = dirs.projectDir ?? homeDir;
  const outputs = new KeptOutputs((command) => runSecretCommand(command, { env, cwd, signal }));
  return {
    env,
    homeDir,
    get projectDir() {
      return dirs.projectDir;
    },
    secrets,
    runCommand: outputs.get,
  };
}
