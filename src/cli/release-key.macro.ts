import { readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The public key with which releases are signed, in PEM; empty while the owner has set none. Read while the program is built,
 * so that nothing at run time can replace it; `SCORPIOX_BUILD_RELEASE_KEY` names another file for builds that are tested.
 */
export function releaseKey(): string {
  const file =
    process.env["SCORPIOX_BUILD_RELEASE_KEY"] ??
    join(import.meta.dir, "../../scripts/release-key.pem");
  const text = readFileSync(file, "utf8");
  return text.includes("-----BEGIN PUBLIC KEY-----") ? text : "";
}
