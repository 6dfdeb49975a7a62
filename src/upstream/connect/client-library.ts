import type * as library from "@modelcontextprotocol/client";

let loading: Promise<typeof library> | undefined;

/**
 * The official client library, whose transports carry HTTP. Loaded with the first connection of that kind: it takes 60 ms and
 * 27 MB, and servers over a pipe need nothing of it.
 */
export function loadClientLibrary(): Promise<typeof library> {
  loading ??= import("@modelcontextprotocol/client");
  return loading;
}
