import { existsSync } from "node:fs";
import { resolve } from "node:path";

import { AppError } from "../base/errors.ts";
import { isInside } from "../base/is-inside.ts";
import { product } from "../base/product.ts";
import { realPathOf } from "../base/real-path.ts";
import { suggestionFor } from "../config/nearest-name.ts";
import { filesOfClient, importClients } from "../upstream/import/client-files.ts";
import type { Dialect } from "../upstream/import/foreign-entry.ts";
import type { CommandContext } from "./command.ts";
import type { ServerFile } from "./mcp-scope.ts";
import type { StartUp } from "./start-up.ts";

/** Clients whose servers can be imported. */
export const importClientIds = importClients.map(({ id }) => id);

export interface ImportSource {
  /** Those that exist. */
  readonly files: readonly string[];
  readonly dialect: Dialect;
}

/**
 * A file, or the files of a client. Servers that a project names for another client do not become the user's own, which start
 * without being approved, unless the user names the very file.
 * @throws {AppError} `not_found`
 */
export function importSourceOf(
  word: string,
  { io, print }: CommandContext,
  start: StartUp,
  place: ServerFile,
): ImportSource {
  const client = importClients.find(({ id }) => id === word.toLowerCase());
  if (client === undefined) {
    const file = resolve(io.cwd, word);
    if (existsSync(file)) return { files: [file], dialect: {} };
    const message = `${word} is neither a file nor a client.${suggestionFor(word, importClientIds)} Clients: ${importClientIds.join(", ")}`;
    throw new AppError("not_found", message);
  }
  const candidates = filesOfClient(client, start.dirs, io.env, process.platform);
  const found = [...new Set(candidates)].filter((file) => existsSync(file));
  const isLeft = (file: string): boolean => place.origin.trust === "user" && isOf(file, start);
  const left = found.filter(isLeft);
  for (const file of left) {
    print.note(
      `${file} is skipped: it belongs to the project. If you trust it, name the file itself: ${product.name} mcp import ${file} --scope global`,
    );
  }
  const files = found.filter((file) => !isLeft(file));
  if (files.length > 0) return { files, dialect: client.dialect };
  if (left.length > 0) {
    throw new AppError("not_found", `${client.title} has no user configuration here.`);
  }
  const places = candidates.map((file) => `\n  ${file}`).join("");
  throw new AppError("not_found", `${client.title} has no configuration here. Searched:${places}`);
}

function isOf(file: string, { dirs: { projectDir } }: StartUp): boolean {
  return projectDir !== undefined && isInside(realPathOf(file), realPathOf(projectDir));
}
