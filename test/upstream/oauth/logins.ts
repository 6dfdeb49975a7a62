import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { LoginUser } from "../../../src/upstream/oauth/authorization-request.ts";
import { logIn } from "../../../src/upstream/oauth/log-in.ts";
import { LoginStore } from "../../../src/upstream/oauth/login-store.ts";
import type { LoginRecord } from "../../../src/upstream/oauth/logins-file.ts";
import type { LoginWish } from "../../../src/upstream/oauth/plan-login.ts";
import { UserSecrets } from "../../../src/upstream/secrets/user-secrets.ts";
import { type AuthScript, AuthServer } from "../../fixtures/oauth/auth-server.ts";

/** An authorization server, and a user with a folder of their own. */
export class LoginTrial implements Disposable {
  readonly server: AuthServer;
  readonly folder = mkdtempSync(join(tmpdir(), "scorpiox-login-"));
  readonly shown: string[] = [];

  constructor(script?: AuthScript) {
    this.server = new AuthServer(script);
  }

  /** As a process of its own has it. */
  openStore(): LoginStore {
    return new LoginStore(this.folder, new UserSecrets(join(this.folder, "secrets"), undefined));
  }

  get place(): { readonly url: string } {
    return { url: this.server.url };
  }

  /** Logs in; the browser does what it is told at once. */
  logIn(wish: Partial<LoginWish> = {}, user: Partial<LoginUser> = {}): Promise<LoginRecord> {
    const whole = { place: this.place, client: {}, ...wish };
    const show = (url: string): void => {
      this.shown.push(url);
      void visit(url);
    };
    return logIn(whole, { show, ...user }, this.openStore(), AbortSignal.timeout(10_000));
  }

  [Symbol.dispose](): void {
    this.server[Symbol.dispose]();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** What a browser does; its page's text. */
export async function visit(url: string): Promise<string> {
  return (await fetch(url)).text().catch(() => "");
}
