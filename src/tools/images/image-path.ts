import { isAbsolute, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { AppError, messageOf } from "../../base/errors.ts";
import { imagePathCharsMax } from "./image-limits.ts";

/**
 * The absolute path that `text` (a path or a `file://` URL) means.
 * @param workspaceFolder what a relative path is resolved against
 * @throws AppError `usage` when it is not a path
 */
export function resolveImagePath(text: string, workspaceFolder: string): string {
  if (text.trim() === "")
    throw new AppError("usage", "`file_path` is empty. Give an absolute path.");
  if (text.includes("\0")) throw new AppError("usage", "`file_path` contains a NUL character.");
  if (text.length > imagePathCharsMax) {
    throw new AppError(
      "usage",
      `\`file_path\` has ${text.length} characters; the limit is ${imagePathCharsMax}.`,
    );
  }
  const path = /^file:/i.test(text) ? pathOfUrl(text) : text;
  if (/^(?:https?|data|ftp):/i.test(path)) {
    throw new AppError(
      "usage",
      "ReadImage reads files. Download the image first, for example with Bash and curl, and pass its path.",
    );
  }
  return isAbsolute(path) ? path : resolve(workspaceFolder, path);
}

function pathOfUrl(text: string): string {
  try {
    const path = fileURLToPath(text);
    if (path.includes("\0")) throw new Error("it contains a NUL character");
    return path;
  } catch (error) {
    throw new AppError(
      "usage",
      `${text.slice(0, 200)} is not a URL of a local file: ${messageOf(error)}`,
      { cause: error },
    );
  }
}
