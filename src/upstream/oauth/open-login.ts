import type { ConfiguredServer } from "../config/server-entry.ts";
import { expandServiceClient } from "../config/service-client.ts";
import { type ExpansionContext, TextExpander } from "../config/text-expander.ts";
import type { ServerAuth } from "../connect/connection.ts";
import { joinScopes } from "./discover.ts";
import type { LoginStore } from "./login-store.ts";
import type { LoginPlace } from "./oauth-reach.ts";
import { ServerLogin } from "./server-login.ts";
import type { ServiceWish } from "./service-grant.ts";
import { serviceLoginId, ServiceLogin } from "./service-login.ts";

/** The login of one server, which may not exist yet. */
export interface OpenLogin {
  /** Unique for each login, so that connections of different logins are not shared. Undefined without a login. */
  readonly id: string | undefined;
  readonly auth: ServerAuth;
  /** The current secrets, which must not appear in any text; the same array until they change. */
  secrets(): readonly string[];
  /** The scopes of the login; undefined without a login or scopes. Never rejects. */
  scopes(): Promise<readonly string[] | undefined>;
}

/**
 * The login for an HTTP server. Undefined when its entry has an `Authorization` header. Never rejects.
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
    // An automatic login exists before its first token.
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

/** The place under which the login of a server is stored. @param url of the server, filled in */
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

/** The automatic login that a server's entry describes; undefined when a person logs in. */
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
    // Expanded for each use, so that a replaced secret takes effect at once.
    client: () => expandServiceClient(oauth, new TextExpander(server, expansion), expansion),
    ...(scopes === undefined ? {} : { scopes }),
    ...(issuer === undefined ? {} : { issuer }),
  };
}
