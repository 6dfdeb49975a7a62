import { AppError } from "../../base/errors.ts";

/** Names that entries can have references to; those of this program itself have a colon. */
const ofUsers = /^[\w.@/ -]{1,128}$/;

/** @throws AppError `usage` for a name that no entry could name */
export function checkSecretName(name: string): void {
  if (ofUsers.test(name) && name === name.trim()) return;
  throw new AppError(
    "usage",
    `${JSON.stringify(name.slice(0, 140))} is no name of a secret: 1 to 128 letters, digits, spaces and . _ - @ /, as in \${keyring:NAME}.`,
  );
}

/** True for what a user has put there, and not a login of ours. */
export function isOfUser(name: string): boolean {
  return ofUsers.test(name);
}
