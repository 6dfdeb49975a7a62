import { type Abortable, signalOf } from "../../base/cancellation.ts";
import { product } from "../../base/product.ts";
import { isPerUser } from "../config/entry-options.ts";
import type { UpstreamCall, UpstreamCallEvents } from "../upstreams.ts";
import { ownerName } from "../user-logins/owned-server.ts";
import { ConnectionDown } from "./connection-parts.ts";
import type { LaunchTarget } from "./launch-target.ts";
import type { ManagerParts } from "./manager-parts.ts";
import type { ServerPermission } from "../status/server-permission.ts";

/** Refuses an entry whose principals could not have logins, which are never kept in clear; says so to people too. */
export async function withUserLogins(
  permission: ServerPermission,
  { userLogins, principals, host }: Pick<ManagerParts, "userLogins" | "principals" | "host">,
): Promise<ServerPermission> {
  if (permission.kind !== "usable" || !isPerUser(permission.active.entry, principals())) {
    return permission;
  }
  const opened = await userLogins?.open(permission.active.entry);
  if (opened !== undefined && typeof opened !== "string") return permission;
  const why = opened ?? "This program cannot keep such logins.";
  const text = `The MCP server ${permission.active.entry.name} has oauth.per_user and is not used. ${why}`;
  host.notify({ kind: "notice", text });
  return { kind: "needs_config", text };
}

/** A call whose principal is not logged in. The message is for the caller, with the link that only it may use. */
export class LoginWanted extends Error {
  override readonly name = "LoginWanted";

  /** @param said the same for logs and hooks, without the link */
  constructor(
    readonly said: string,
    link: string,
  ) {
    super(`${said} Open this page in a browser, then call again: ${link}`);
  }
}

/**
 * The login of the call's principal for its connection, where principals have their own; undefined without one. Where the
 * principal's identity is traded, that of the call is the one.
 * @throws ConnectionDown when the call names no principal
 */
export function loginIdOf(
  target: LaunchTarget,
  { owner, identity }: UpstreamCall,
): Promise<string | undefined> | undefined {
  if (owner === undefined) {
    const reason = "each of its users has a login, and the call names none of them";
    throw new ConnectionDown(reason, "failed", undefined);
  }
  const owned = target.ownedBy(owner);
  const { userLogins } = target;
  if (owned === undefined || userLogins === undefined) return undefined;
  if (userLogins.kind === "traded") userLogins.offer(owned, identity);
  return userLogins.loginId(owned);
}

/**
 * Asks the principal of a call to log in, where its client can show the page, and waits for that.
 * @returns true after a login; else the error for the call; undefined where principals have no logins of their own
 */
export async function logInPrincipal(
  target: LaunchTarget,
  { owner, capabilities }: UpstreamCall,
  events: UpstreamCallEvents,
  signal: Abortable,
): Promise<true | LoginWanted | undefined> {
  const { userLogins } = target;
  const owned = target.ownedBy(owner);
  if (owned === undefined || userLogins?.kind !== "logins") return undefined;
  const ask: typeof events.ask = (request) => events.ask(request);
  if (capabilities.elicitationUrl && (await userLogins.ask(owned, ask, signalOf(signal)))) {
    return true;
  }
  return loginWanted(target, owner);
}

/** The error for a call whose principal has to log in. Undefined where principals have no logins of their own. */
export async function loginWanted(
  target: LaunchTarget,
  owner: string | undefined,
): Promise<LoginWanted | undefined> {
  const { userLogins } = target;
  const owned = target.ownedBy(owner);
  if (owned === undefined || userLogins?.kind !== "logins") return undefined;
  const { name } = target.configured.entry;
  const said = `The server ${name} wants a login of ${ownerName(owned.owner)}.`;
  return new LoginWanted(said, await userLogins.link(owned));
}

/** The lists cannot be read, which no principal can change. */
export function listsWantLogin(name: string): ConnectionDown {
  const text = `it shows its tools to nobody without a login, and the operator of this server has none: ${product.name} mcp login ${name}`;
  return new ConnectionDown(text, "failed", undefined);
}
