/**
 * Random ids and digests from what every thread of the runtime has anyway. `node:crypto` takes 1.6 MB and several milliseconds to
 * load: too much for a server that only runs commands.
 */

/** Random bytes, as many as `bytes`: two hexadecimal digits for each. */
export function randomHex(bytes: number): string {
  return crypto.getRandomValues(new Uint8Array(bytes)).toHex();
}

/** SHA-256 in hexadecimal. */
export function sha256Hex(content: string | Uint8Array): string {
  return new Bun.CryptoHasher("sha256").update(content).digest("hex");
}

/** SHA-256 in base64url: 43 characters for the name of something whose own name may hold anything. */
export function sha256Name(content: string): string {
  return new Bun.CryptoHasher("sha256").update(content).digest("base64url");
}

/** The parts of a result's id: when it was made, what nobody can guess, and whose it is. */
const resultIdForm = /^([0-9a-z]{1,16}-[0-9a-f]{16})-([0-9a-f]{8})$/;

/** The id of a saved text, which is the name of its file too: it cannot be guessed, and is its client's alone (CA14). */
export function newResultId(clientId: string): string {
  const stem = `${Date.now().toString(36)}-${randomHex(8)}`;
  return `${stem}-${markOf(stem, clientId)}`;
}

/** Whether `id` was made for this client, in whatever process. False for any other text. */
export function isResultIdOf(clientId: string, id: string): boolean {
  const [, stem, mark] = resultIdForm.exec(id) ?? [];
  return stem !== undefined && mark === markOf(stem, clientId);
}

function markOf(stem: string, clientId: string): string {
  return sha256Hex(`${stem}\0${clientId}`).slice(0, 8);
}

/** Characters of the digest in a name: nobody finds a second id with the same one, also who chooses ids freely. */
const digestChars = 32;
/** Characters of the id that are shown in a name, for people who look into the folder. */
const shownChars = 40;

/** A name for the folder of a principal: valid on each system, and of this one principal alone. */
export function principalName(id: string): string {
  const shown = id.replaceAll(/[^A-Za-z0-9_-]+/g, "-").slice(0, shownChars);
  return `${shown}-${sha256Hex(id).slice(0, digestChars)}`;
}
