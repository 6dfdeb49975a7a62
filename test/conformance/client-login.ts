import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { AppError, messageOf } from "../../src/base/errors.ts";
import type { Params } from "../../src/protocol/json-rpc.ts";
import { ConnectionError } from "../../src/upstream/connect/connection.ts";
import type { ServerAuth } from "../../src/upstream/connect/server-auth.ts";
import type { WantedClient } from "../../src/upstream/oauth/client-registration.ts";
import { logIn } from "../../src/upstream/oauth/log-in.ts";
import { LoginStore } from "../../src/upstream/oauth/login-store.ts";
import { ServerLogin } from "../../src/upstream/oauth/server-login.ts";
import { UserSecrets } from "../../src/upstream/secrets/user-secrets.ts";

/** What the suite takes for this client's own document. */
const metadataUrl = "https://conformance-test.local/client-metadata.json";
/** A person who is asked to log in again and again stops. */
const loginsMax = 3;

/** A user who logs in whenever a server wants it, in a browser that agrees to everything. */
export class ClientLogin implements Disposable {
  readonly auth: ServerAuth;
  readonly #folder = mkdtempSync(join(tmpdir(), "scorpiox-conformance-login-"));
  readonly #store: LoginStore;
  readonly #url: string;
  readonly #client: WantedClient;
  #logins = 0;

  constructor(url: string, { client_id: clientId, client_secret: clientSecret }: Params) {
    const secrets = new UserSecrets(join(this.#folder, "secrets"), undefined);
    this.#store = new LoginStore(this.#folder, secrets);
    this.#url = url;
    this.#client = {
      metadataUrl,
      ...(typeof clientId === "string" ? { clientId } : {}),
      ...(typeof clientSecret === "string" ? { clientSecret } : {}),
    };
    this.auth = new ServerLogin({ url }, this.#store);
  }

  /** Does `work`, with logins in between where that is what it fails for. */
  async whileNeeded<Value>(work: () => Promise<Value>): Promise<Value> {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        const isLogin = error instanceof ConnectionError && error.failure === "needs_auth";
        if (!isLogin || this.#logins === loginsMax) throw error;
        this.#logins += 1;
        await this.#logIn();
      }
    }
  }

  /** The same; undefined when a login is given up, which some scenarios are about. */
  async unlessRefused<Value>(work: () => Promise<Value>): Promise<Value | undefined> {
    try {
      return await this.whileNeeded(work);
    } catch (error) {
      const isRefused = error instanceof AppError && error.code === "refused";
      if (!isRefused && this.#logins < loginsMax) throw error;
      console.error(`not logged in: ${messageOf(error)}`);
      return undefined;
    }
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #logIn(): Promise<void> {
    const show = (url: string): void => void fetch(url).catch(() => {});
    const wish = { place: { url: this.#url }, client: this.#client };
    await logIn(wish, { show }, this.#store, AbortSignal.timeout(15_000));
  }
}
