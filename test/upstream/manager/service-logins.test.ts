import { expect, test } from "bun:test";
import { join } from "node:path";

import { LoginStore } from "../../../src/upstream/oauth/login-store.ts";
import { logInAsService } from "../../../src/upstream/oauth/service-login.ts";
import { UserSecrets } from "../../../src/upstream/secrets/user-secrets.ts";
import { AuthServer } from "../../fixtures/oauth/auth-server.ts";
import { serviceWishOf } from "../../fixtures/oauth/service-wish.ts";
import { until } from "../connect/open-scripted.ts";
import { openPlace, type Opened, type Place, textOfReply } from "./open-work.ts";

/** A server whose client logs in by itself, with a secret of the user's. */
async function open(server: AuthServer, place: Place, secret: string): Promise<Opened> {
  const oauth = {
    grant: "client_credentials",
    client_id: "me",
    client_secret: "${keyring:one}",
  };
  await secretsOf(place).set("one", secret);
  await place.configure({ one: { url: server.url, oauth } });
  const opened = place.open({ env: { SCORPIOX_SECRETS: "file" } });
  await opened.work.start();
  return opened;
}

function secretsOf({ home }: Place): UserSecrets {
  return new UserSecrets(join(home, ".scorpiox", "secrets"), undefined);
}

test("[GW-39] the first token of a client that logs in by itself ends no connection", async () => {
  using server = new AuthServer();
  await using place = await openPlace();
  const opened = await open(server, place, "secret-canary");
  await opened.reach("one", "ready");
  // What was written meanwhile is read before the next is applied.
  await secretsOf(place).set("other", "x");
  const reply = await opened.call("one", "whoami");
  expect(textOfReply(reply)).toBe("you are ***");
  expect([opened.info("one")?.starts, server.to("/token").length]).toEqual([1, 1]);
  expect(JSON.stringify([reply, opened.snapshots, opened.events, opened.logs])).not.toContain(
    "-canary",
  );
  await until(() => opened.snapshot().isPrivate);
});

test("[GW-39] one that is refused says why, and comes with another secret or with a login", async () => {
  using server = new AuthServer({ refuseGrant: [401, "invalid_client"] });
  await using place = await openPlace();
  const opened = await open(server, place, "old-canary");
  const { reason } = await opened.reach("one", "needs_auth");
  expect(reason).toBe(
    "The server wants a login. The authorization server refuses: invalid_client (not you). It logs in by itself: correct the oauth table of its entry, then try it: scorpiox-code mcp login one.",
  );
  server.script = {};
  await secretsOf(place).set("one", "secret-canary");
  await opened.reach("one", "ready");
  expect(server.to("/token").at(-1)?.authorization).toBe(`Basic ${btoa("me:secret-canary")}`);

  server.tokens.clear();
  server.script = { refuseGrant: [401, "invalid_client"] };
  expect(textOfReply(await opened.call("one", "whoami"))).toStartWith("needs_auth: ");
  server.script = {};
  const wish = serviceWishOf(server.url);
  const login = { ...wish, place: { ...wish.place, grant: "client_credentials secret" } };
  const store = new LoginStore(join(place.home, ".scorpiox"), secretsOf(place));
  await logInAsService(login, store, AbortSignal.timeout(5_000));
  // Connections with the login before are not used any more.
  await opened.reach("one", "cached");
  expect(textOfReply(await opened.call("one", "whoami"))).toBe("you are ***");
});
