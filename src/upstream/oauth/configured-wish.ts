import { NeedsConfig } from "../config/needs-config.ts";
import { TextExpander } from "../config/text-expander.ts";
import { AppError } from "../../base/errors.ts";
import type { ExpansionContext } from "../config/expansion-context.ts";
import type { ConfiguredServer } from "../config/server-entry.ts";
import type { LoginWish } from "./log-in.ts";
import { placeOf } from "./open-login.ts";

/**
 * What the entry of a server says of its login.
 * @param url of the server, filled in
 * @throws AppError `config` when its client secret is not set
 */
export async function configuredWish(
  server: ConfiguredServer,
  url: string,
  expansion: ExpansionContext,
): Promise<LoginWish> {
  const { clientId, clientSecret, scopes, redirectPort, issuer } = server.entry.options.oauth ?? {};
  const secret =
    clientSecret === undefined ? undefined : await expandText(clientSecret, server, expansion);
  if (secret?.kind === "needs_config") throw new AppError("config", secret.text);
  return {
    place: placeOf(server, url),
    client: {
      ...(clientId === undefined ? {} : { clientId }),
      ...(secret === undefined ? {} : { clientSecret: secret.text }),
    },
    ...(issuer === undefined ? {} : { issuer }),
    ...(scopes === undefined ? {} : { scopes }),
    ...(redirectPort === undefined ? {} : { redirectPort }),
  };
}

type ExpandedText =
  | { readonly kind: "ready"; readonly text: string }
  /** `text` is a sentence: what is missing and what to do. */
  | { readonly kind: "needs_config"; readonly text: string };

/** Fills in the references of a text that stands in an entry beside its launch. */
async function expandText(
  text: string,
  server: ConfiguredServer,
  context: ExpansionContext,
): Promise<ExpandedText> {
  try {
    return { kind: "ready", text: await new TextExpander(server, context).expand(text) };
  } catch (error) {
    if (!(error instanceof NeedsConfig)) throw error;
    return { kind: "needs_config", text: error.message };
  }
}
