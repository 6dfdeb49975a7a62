import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { AppError, messageOf } from "../../src/base/errors.ts";
import type { Params } from "../../src/protocol/json-rpc.ts";
import { launchIdentity } from "../../src/upstream/config/entry-launch.ts";
import { readEntry } from "../../src/upstream/config/read-entry.ts";
import type { ServiceGrant, ConfiguredServer } from "../../src/upstream/config/server-entry.ts";
import type { ExpansionContext } from "../../src/upstream/config/text-expander.ts";
import { ConnectionError, type ServerAuth } from "../../src/upstream/connect/connection.ts";
import { logIn } from "../../src/upstream/oauth/log-in.ts";
import { LoginStore } from "../../src/upstream/oauth/login-store.ts";
import { configuredWish, openLogin } from "../../src/upstream/oauth/open-login.ts";
import { UserSecrets } from "../../src/upstream/secrets/user-secrets.ts";
import type { Scenario } from "./client-driver.ts";

/** What the suite takes for this client's own document. */
const metadataUrl = "https://conformance-test.local/client-metadata.json";
/** A person who is asked to log in again and again stops. */
const loginsMax = 3;

/** What of a scenario's context stands in the entry of a server, and as what. */
const entryKeys = [
  ["client_id", "client_id"],
  ["client_secret", "client_secret"],
  ["private_key_pem", "private_key"],
  ["signing_algorithm", "algorithm"],
  ["idp_issuer", "idp_issuer"],
  ["idp_client_id", "idp_client_id"],
  ["idp_id_token", "id_token"],
  ["valid_jwt", "workload_token"],
] as const;

/** Scenarios in which no person logs in. */
const grants: Readonly<Record<string, ServiceGrant>> = {
  "auth/client-credentials-basic": "client_credentials",
  "auth/client-credentials-jwt": "client_credentials",
  "auth/enterprise-managed-authorization": "enterprise",
  "auth/wif-jwt-bearer": "workload",
};

/** A user who logs in whenever a server wants it, in a browser that agrees to everything. */
export class ClientLogin implements Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), "scorpiox-conformance-login-"));
  readonly #store: LoginStore;
  readonly #url: string;
  readonly #server: ConfiguredServer;
  readonly #expansion: ExpansionContext;
  readonly #tell: (line: string) => void;
  #logins = 0;

  constructor({ url, name, context }: Scenario, tell: (line: string) => void) {
    const secrets = new UserSecrets(join(this.#folder, "secrets"), undefined);
    this.#store = new LoginStore(this.#folder, secrets);
    this.#expansion = { env: {}, homeDir: this.#folder, projectDir: undefined, secrets };
    this.#url = url;
    this.#tell = tell;
    const written = entryKeys.map(([from, to]) => [to, context[from]] as const);
    const grant = grants[name];
    this.#server = serverOf(url, {
      ...Object.fromEntries(written.filter(([, value]) => typeof value === "string")),
      ...(grant === undefined ? {} : { grant }),
    });
  }

  async auth(): Promise<ServerAuth> {
    const login = await openLogin(this.#server, this.#url, this.#store, this.#expansion);
    if (login === undefined) throw new Error("A server without headers has a login.");
    return login.auth;
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
      this.#tell(`not logged in: ${messageOf(error)}`);
      return undefined;
    }
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #logIn(): Promise<void> {
    const show = (url: string): void => void fetch(url).catch(() => {});
    const wish = await configuredWish(this.#server, this.#url, this.#expansion);
    const client = { ...wish.client, metadataUrl };
    await logIn({ ...wish, client }, { show }, this.#store, AbortSignal.timeout(15_000));
  }
}

/** As an entry of the user's. */
function serverOf(url: string, oauth: Params): ConfiguredServer {
  const origin = { rank: 1, trust: "user", scope: "global" } as const;
  const entry = readEntry({ name: "suite", value: { url, oauth } }, origin, { warn: () => {} });
  return { entry, identity: launchIdentity(entry.launch), shadowed: [] };
}
