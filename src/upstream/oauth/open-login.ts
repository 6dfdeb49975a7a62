import type { ExpansionContext } from "../config/expansion-context.ts";
import type { ConfiguredServer } from "../config/server-entry.ts";
import { expandServiceClient } from "../config/service-client.ts";
import { TextExpander } from "../config/text-expander.ts";
import type { ServerAuth } from "../connect/connection.ts";
import { joinScopes } from "./discover.ts";
import type { LoginStore } from "./login-store.ts";
import type { LoginPlace } from "./oauth-reach.ts";
import { ServerLogin } from "./server-login.ts";
import type { ServiceWish } from "./service-grant.ts";
import { serviceLoginId, ServiceLogin } from "./service-login.ts";

/** The login of one server, whether there is one or not. */
export interface OpenLogin {
  /** Of this one login: connections of another one are not shared. Undefined: there is none. */
  readonly id: string | undefined;
  readonly auth: ServerAuth;
  /** What must not be seen in any text, as it is now; the same list until it changes. */
  secrets(): readonly string[];
  /** What the login was for; undefined: there is none, or it was for nothing in particular. Never rejects. */
  scopes(): Promise<readonly string[] | undefined>;
}

/**
 * What a server of HTTP gets for tokens. Undefined: it has an `Authorization` header of its own. Never rejects.
 * @param url of the server, filled in
 */
export async function openLogin(
  server: ConfiguredServer,
  url: string,
  store: LoginStore,
  expansion: ExpansionContext,
): Promise<OpenLogin | undefined> {
  const { launch } = server.entry;
  const headers = launch.transport === "http" ? Object.keys(launch.headers) : [];
  if (headers.some((name) => name.toLowerCase() === "authorization")) return undefined;
  const place = placeOf(server, url);
  const wish = serviceWish(server, url, expansion);
  const login = wish === undefined ? new ServerLogin(place, store) : new ServiceLogin(wish, store);
  const entryOfLogin = await store.entry(place);
  return {
    // One that is had by itself is there before its first token is.
    id: entryOfLogin?.id ?? (wish === undefined ? undefined : serviceLoginId),
    auth: login,
    secrets: () => login.secrets,
    scopes: async () => {
      const entry = wish === undefined ? entryOfLogin : await store.entry(place);
      if (entry === undefined) return undefined;
      const record = await store.record(entry).catch(() => undefined);
      return record?.scope?.split(" ").filter(Boolean);
    },
  };
}

/** Under what the login of a server is kept. @param url of the server, filled in */
export function placeOf({ entry }: Pick<ConfiguredServer, "entry">, url: string): LoginPlace {
  const { clientId, scopes, issuer, service } = entry.options.oauth ?? {};
  const issuers = [issuer, service?.idp?.issuer].filter((each) => each !== undefined);
  const place = {
    url,
    ...(clientId === undefined ? {} : { clientId }),
    ...(issuers.length === 0 ? {} : { issuers }),
  };
  if (service === undefined) return place;
  const { grant, key } = service;
  return {
    ...place,
    grant: joinScopes(grant, key === undefined ? "secret" : "key", ...(scopes ?? [])),
  };
}

/** What the entry of a server that logs in by itself says of that; undefined when a person does. */
export function serviceWish(
  server: ConfiguredServer,
  url: string,
  expansion: ExpansionContext,
): ServiceWish | undefined {
  const { oauth } = server.entry.options;
  if (oauth?.service === undefined) return undefined;
  const { scopes, issuer } = oauth;
  return {
    place: placeOf(server, url),
    // Each time anew: a secret that was replaced counts from its next use on.
    client: () => expandServiceClient(oauth, new TextExpander(server, expansion), expansion),
    ...(scopes === undefined ? {} : { scopes }),
    ...(issuer === undefined ? {} : { issuer }),
  };
}
