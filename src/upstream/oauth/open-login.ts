import type { ServerAuth } from "../connect/server-auth.ts";
import type { ConfiguredServer } from "../server-entry.ts";
import type { LoginPlace, LoginStore } from "./login-store.ts";
import { ServerLogin } from "./server-login.ts";

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
  { entry }: ConfiguredServer,
  url: string,
  store: LoginStore,
): Promise<OpenLogin | undefined> {
  const { launch } = entry;
  const headers = launch.transport === "http" ? Object.keys(launch.headers) : [];
  if (headers.some((name) => name.toLowerCase() === "authorization")) return undefined;
  const place = placeOf({ entry }, url);
  const login = new ServerLogin(place, store);
  const entryOfLogin = await store.entry(place);
  return {
    id: entryOfLogin?.id,
    auth: login,
    secrets: () => login.secrets,
    scopes: async () => {
      if (entryOfLogin === undefined) return undefined;
      const record = await store.record(entryOfLogin).catch(() => undefined);
      return record?.scope?.split(" ").filter(Boolean);
    },
  };
}

/** Under what the login of a server is kept. @param url of the server, filled in */
export function placeOf({ entry }: Pick<ConfiguredServer, "entry">, url: string): LoginPlace {
  const { clientId } = entry.options.oauth ?? {};
  return { url, ...(clientId === undefined ? {} : { clientId }) };
}
