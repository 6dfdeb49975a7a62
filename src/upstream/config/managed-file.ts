import { join } from "node:path";

import type { ConfigDirs } from "../../config/places.ts";

/**
 * The file in which whoever runs the machine says what of other servers may be used. Its place is fixed for each system:
 * an environment variable, `%ProgramData%` included, would let those whom the rules bind move it.
 */
export function managedFileOf(
  { machineDir }: Pick<ConfigDirs, "machineDir">,
  platform: NodeJS.Platform = process.platform,
): string {
  return join(machineDir ?? machineDirs[platform] ?? "/etc/scorpiox", "config.toml");
}

const machineDirs: Readonly<Partial<Record<NodeJS.Platform, string>>> = {
  darwin: "/Library/Application Support/scorpiox",
  win32: "C:\\ProgramData\\scorpiox",
};
