import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { AppError, messageOf, systemCodeOf } from "../base/errors.ts";

export interface OwnToken {
  readonly tokenFile: string;
  /** Only when it was made just now: it is shown once. */
  readonly token?: string;
}

const tokenBytes = 32;

/**
 * The token file that a server makes where it cannot know which user connects; kept, so that clients need not be told
 * with every start. @throws AppError "system" when it cannot be written
 */
export function makeOwnToken(scorpioxDir: string): OwnToken {
  const tokenFile = join(scorpioxDir, "http-token");
  const token = randomBytes(tokenBytes).toString("hex");
  try {
    mkdirSync(scorpioxDir, { recursive: true, mode: 0o700 });
    writeFileSync(tokenFile, `# For clients of serve --http.\nlocal ${token}\n`, {
      flag: "wx",
      mode: 0o600,
    });
    return { tokenFile, token };
  } catch (error) {
    if (systemCodeOf(error) === "EEXIST") return { tokenFile };
    const what = `A token for clients is needed here, and ${tokenFile} cannot be written: ${messageOf(error)}`;
    throw new AppError("system", `${what} Give --token-file or --allow-any-local-user.`);
  }
}

/** What the user reads at the start. */
export function ownTokenText({ tokenFile, token }: OwnToken, url: string): string {
  const why = `This system does not tell which user connects, so clients need the token in ${tokenFile}`;
  if (token === undefined) return `${why}; --allow-any-local-user does without.`;
  const entry = { scorpiox: { type: "http", url, headers: { Authorization: `Bearer ${token}` } } };
  return [
    `${why}, which was made now; --allow-any-local-user does without. It is shown this once:`,
    `  claude mcp add --transport http scorpiox ${url} --header "Authorization: Bearer ${token}"`,
    `  Cursor:  ${JSON.stringify({ mcpServers: entry })}`,
    `  VS Code: ${JSON.stringify({ servers: entry })}`,
  ].join("\n");
}
