import { AppError, messageOf } from "../base/errors.ts";
import { isKeyName } from "./env-file.ts";
import { setInEnvText, unsetInEnvText } from "./edit-env-text.ts";
import { readTextFile } from "./read-text-file.ts";
import { type EditTarget, resolveTarget } from "./edit-target.ts";
import { replaceFile } from "./replace-file.ts";

/**
 * Sets `key` in a `scorpiox-env.txt`, which is created with its folder when missing.
 * @throws {AppError} `usage` for a key or value that does not fit on one line, `system` or `config` when
 * the file cannot be read or written.
 */
export function setInEnvFile(target: EditTarget, key: string, value: string): void {
  if (!isKeyName(key))
    throw new AppError("usage", `${JSON.stringify(key)} is not a valid key name.`);
  const trimmed = value.trim();
  if (/[\r\n\0]/.test(trimmed)) {
    throw new AppError("usage", `The value of ${key} must be on one line.`);
  }
  editFile(target, (text) => setInEnvText(text, key, trimmed));
}

/** Removes `key`. False when it was not set there. Throws as `setInEnvFile` does. */
export function unsetInEnvFile(target: EditTarget, key: string): boolean {
  if (readTextFile(target.file).kind === "absent") return false;
  return editFile(target, (text) => unsetInEnvText(text, key));
}

/** True when the text changed. */
function editFile(target: EditTarget, edit: (text: string) => string): boolean {
  try {
    const file = resolveTarget(target);
    const content = readTextFile(file);
    if (content.kind === "unusable") {
      throw new AppError("config", `${file} ${content.reason}; it was not changed.`);
    }
    const before = content.kind === "text" ? content.text : "";
    const after = edit(before);
    if (after === before) return false;
    replaceFile(file, after);
    return true;
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError("system", `${target.file} cannot be written: ${messageOf(error)}`, {
      cause: error,
    });
  }
}
