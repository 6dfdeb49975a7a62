import { isModernVersion, metaKeys } from "../protocol/message.ts";
import type { ServerTrialOptions } from "./command.ts";

/** The first messages of a client, without ids. */
interface Greeting {
  readonly first: object;
  readonly second?: object;
  /** Of every request after it. */
  readonly params: object;
}

/** How a client of that revision introduces itself. */
export function greetingOf({
  clientName,
  revision,
  capabilities,
}: Pick<ServerTrialOptions, "clientName" | "revision" | "capabilities">): Greeting {
  const clientInfo = { name: clientName, version: "0.0.0" };
  if (!isModernVersion(revision)) {
    const params = { protocolVersion: revision, capabilities, clientInfo };
    return {
      first: { method: "initialize", params },
      second: { method: "notifications/initialized" },
      params: {},
    };
  }
  const params = {
    _meta: {
      [metaKeys.protocolVersion]: revision,
      [metaKeys.clientInfo]: clientInfo,
      [metaKeys.clientCapabilities]: capabilities,
    },
  };
  return { first: { method: "server/discover", params }, params };
}
