import { AppError } from "../../base/errors.ts";
import { expandText } from "../config/expand-text.ts";
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
