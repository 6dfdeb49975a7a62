import { AppError } from "../base/errors.ts";
import type { HttpSettings } from "../cli/http-settings.ts";
import { takeSecret } from "../config/take-secret.ts";
import type { Fleet } from "../fleet/open-fleet.ts";

/**
 * This process as a replica of a fleet; undefined without `SHARED_URL`, and then nothing of it is loaded.
 * @throws AppError for settings that cannot be used, and when the engine cannot
 */
export async function openFleetOf(
  { fleetName }: HttpSettings,
  warn: (message: string) => void,
): Promise<Fleet | undefined> {
  const sharedUrl = takeSecret("SHARED_URL");
  if (sharedUrl === undefined) {
    if (fleetName === undefined) return undefined;
    throw new AppError("usage", "--fleet needs SHARED_URL, the engine that its replicas share.");
  }
  const { openFleet } = await import("../fleet/open-fleet.ts");
  return openFleet({ sharedUrl, fleetName, readSecret: () => takeSecret("FLEET_KEY"), warn });
}
