/** What belongs to another server has an address of ours that says whose it is, so that it can be read through us (RP2). */

const mcpPrefix = "scorpiox://mcp/";
const uiPrefix = "ui://";
const uiHostEnd = ".scorpiox";
const skillPrefix = "skill://";

/** A resource of another server: whose it is, and what that server calls it. */
export interface ForeignUri {
  readonly server: string;
  readonly uri: string;
}

/**
 * Our address of `uri`, a URI or template of `server`. `ui://` and `skill://` stay what they are, since clients look at
 * these schemes.
 * @param server its configured name, which has no `/`
 */
export function ownUri(server: string, uri: string): string {
  if (uri.startsWith(uiPrefix)) {
    return `${uiPrefix}${server}${uiHostEnd}/${uri.slice(uiPrefix.length)}`;
  }
  if (uri.startsWith(skillPrefix))
    return `${skillPrefix}${server}/${uri.slice(skillPrefix.length)}`;
  return `${mcpPrefix}${server}/${uri}`;
}

/**
 * The inverse of `ownUri`; undefined for what it cannot have made. Whether there is such a server is not looked at:
 * `skill://` names skills of ours too.
 */
export function readForeignUri(uri: string): ForeignUri | undefined {
  if (uri.startsWith(mcpPrefix)) return split(uri.slice(mcpPrefix.length), "");
  if (uri.startsWith(skillPrefix)) return split(uri.slice(skillPrefix.length), skillPrefix);
  if (!uri.startsWith(uiPrefix)) return undefined;
  const found = split(uri.slice(uiPrefix.length), uiPrefix);
  if (found === undefined || !found.server.endsWith(uiHostEnd)) return undefined;
  const server = found.server.slice(0, -uiHostEnd.length);
  return server === "" ? undefined : { server, uri: found.uri };
}

function split(rest: string, scheme: string): ForeignUri | undefined {
  const slash = rest.indexOf("/");
  if (slash <= 0) return undefined;
  return { server: rest.slice(0, slash), uri: scheme + rest.slice(slash + 1) };
}
