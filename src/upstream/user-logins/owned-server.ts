import type { ConfiguredServer } from "../config/server-entry.ts";
import type { ServerAuth } from "../connect/connection.ts";

/** A server for one principal: its address may have the principal's name in it. */
export interface OwnedServer {
  readonly configured: ConfiguredServer;
  readonly url: string;
  /** The id of the principal. */
  readonly owner: string;
}

/** Tokens of principals for servers; those of one know nothing of another. */
export interface OwnTokens {
  /** The tokens of a principal for a server. */
  auth(server: OwnedServer): ServerAuth;
  /** Texts that must not appear in answers to the principal; the same array until they change. */
  secrets(server: OwnedServer): readonly string[];
  /** Unique for each login: connections of different logins are not shared. Undefined without one. Never rejects. */
  loginId(server: OwnedServer): Promise<string | undefined>;
}

/** A principal as people call it. @param owner its id */
export function ownerName(owner: string): string {
  const [, kind = "", name = ""] = /^(token|jwt|jwt-client):(.*)$/s.exec(owner) ?? [];
  if (kind === "token") return name;
  const cut = name.indexOf("|");
  return kind === "" || cut === -1 ? owner : `${name.slice(cut + 1)} (${name.slice(0, cut)})`;
}
