import { sha256Hex } from "./digests.ts";

/** Of the digest: nobody finds a second id with the same one, also who chooses ids freely. */
const digestChars = 32;
/** Of the id as it is shown, for people who look into the folder. */
const shownChars = 40;

/** A name for the folder of a principal: valid on each system, and of this one principal alone. */
export function principalName(id: string): string {
  const shown = id.replaceAll(/[^A-Za-z0-9_-]+/g, "-").slice(0, shownChars);
  return `${shown}-${sha256Hex(id).slice(0, digestChars)}`;
}
