import { AppError } from "../../base/errors.ts";
import { oauthAskAgainMs } from "../../base/upstream-limits.ts";
import type { InputRequest } from "../../protocol/input-request.ts";
import type { Params } from "../../protocol/json-rpc.ts";
import type { ConfiguredServer } from "../config/server-entry.ts";
import { expandServiceClient } from "../config/service-client.ts";
import { type ExpansionContext, TextExpander, NeedsConfig } from "../config/text-expander.ts";
import type { ServerAuth } from "../connect/connection.ts";
import { joinScopes } from "./discover.ts";
import { logIn } from "./log-in.ts";
import type { LoginStore } from "./login-store.ts";
import type { LoginPlace } from "./oauth-reach.ts";
import type { LoginWish } from "./plan-login.ts";
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

/** Asks the user through a client that shows addresses (OA5). */
export type AskUser = (request: InputRequest) => Promise<Params>;

/** Logs in to servers through clients that show addresses; one login at a time for each server. */
export class LoginAsker {
  readonly #store: LoginStore;
  readonly #expansion: ExpansionContext;
  readonly #clock: () => number;
  /** Servers with a login in progress. */
  readonly #open = new Set<string>();
  /** When the user last declined, so that not every call asks again. */
  readonly #declinedAt = new Map<string, number>();

  /** @param clock milliseconds that never go back */
  constructor(store: LoginStore, expansion: ExpansionContext, clock: () => number) {
    this.#store = store;
    this.#expansion = expansion;
    this.#clock = clock;
  }

  /** True when the user has logged in. Never rejects. @param url of the server, filled in */
  async logIn(
    server: ConfiguredServer,
    url: string,
    ask: AskUser,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { name } = server.entry;
    const declinedAt = this.#declinedAt.get(name) ?? Number.NEGATIVE_INFINITY;
    if (this.#open.has(name) || this.#clock() < declinedAt + oauthAskAgainMs) return false;
    this.#open.add(name);
    try {
      await this.#logIn(server, url, ask, signal);
      this.#declinedAt.delete(name);
      return true;
    } catch {
      this.#declinedAt.set(name, this.#clock());
      return false;
    } finally {
      this.#open.delete(name);
    }
  }

  async #logIn(
    server: ConfiguredServer,
    url: string,
    ask: AskUser,
    signal: AbortSignal,
  ): Promise<void> {
    const wish = await configuredWish(server, url, this.#expansion);
    const declined = new AbortController();
    const show = (address: string): void => {
      const params = {
        mode: "url",
        message: "The server wants you to log in. The call continues after that.",
        url: address,
        elicitationId: crypto.randomUUID(),
      } as const;
      ask({ method: "elicitation/create", params }).then(
        ({ action }) => {
          if (action !== "accept") declined.abort();
        },
        () => declined.abort(),
      );
    };
    await logIn(wish, { show }, this.#store, AbortSignal.any([signal, declined.signal]));
  }
}

/**
 * The login that a server's entry describes.
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
  /** `text` is a sentence: the missing value and the advice. */
  | { readonly kind: "needs_config"; readonly text: string };

/** Fills in the references in a text of an entry outside of its launch. */
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
