import { AppError } from "../../base/errors.ts";
import { oauthAskAgainMs } from "../../base/upstream-limits.ts";
import type { InputRequest } from "../../protocol/input-request.ts";
import type { Params } from "../../protocol/json-rpc.ts";
import type { ConfiguredServer } from "../config/server-entry.ts";
import { type ExpansionContext, NeedsConfig, TextExpander } from "../config/text-expander.ts";
import { logIn, type LoginWish } from "./log-in.ts";
import type { LoginStore } from "./login-store.ts";
import { placeOf } from "./open-login.ts";

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
