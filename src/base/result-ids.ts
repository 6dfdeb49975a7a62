import { randomHex, sha256Hex } from "./digests.ts";

/** When it was made, what nobody can guess, and whose it is. */
const form = /^([0-9a-z]{1,16}-[0-9a-f]{16})-([0-9a-f]{8})$/;

/** The id of a saved text, which is the name of its file too: it cannot be guessed, and is its client's alone (CA14). */
export function newResultId(clientId: string): string {
  const stem = `${Date.now().toString(36)}-${randomHex(8)}`;
  return `${stem}-${markOf(stem, clientId)}`;
}

/** Whether `id` was made for this client, in whatever process. False for any other text. */
export function isResultIdOf(clientId: string, id: string): boolean {
  const [, stem, mark] = form.exec(id) ?? [];
  return stem !== undefined && mark === markOf(stem, clientId);
}

function markOf(stem: string, clientId: string): string {
  return sha256Hex(`${stem}\0${clientId}`).slice(0, 8);
}
