import { expect, test } from "bun:test";

import type { ConfiguredServer } from "../../../src/upstream/config/server-entry.ts";
import type { ExpansionContext } from "../../../src/upstream/config/text-expander.ts";
import { openLogin } from "../../../src/upstream/oauth/open-login.ts";
import { LoginTrial } from "./logins.ts";

function serverAt(url: string, headers: Readonly<Record<string, string>> = {}): ConfiguredServer {
  const entry = { launch: { transport: "http", url, headers }, options: {} };
  return { entry, identity: "one", shadowed: [] } as unknown as ConfiguredServer;
}

const nothing: ExpansionContext = {
  env: {},
  homeDir: "/",
  secrets: { get: () => Promise.resolve(undefined) },
};

test("a login says what it was for, once there is one", async () => {
  using trial = new LoginTrial();
  const { url } = trial.place;
  const before = await openLogin(serverAt(url), url, trial.openStore(), nothing);
  expect([before?.id, await before?.scopes()]).toEqual([undefined, undefined]);
  await trial.logIn({ scopes: ["read", "write"] });
  const after = await openLogin(serverAt(url), url, trial.openStore(), nothing);
  expect(after?.id).toBeString();
  expect(await after?.scopes()).toEqual(["read", "write"]);
});

test("a header of its own takes the place of a login", async () => {
  using trial = new LoginTrial();
  const server = serverAt(trial.place.url, { AUTHORIZATION: "Bearer x" });
  expect(await openLogin(server, trial.place.url, trial.openStore(), nothing)).toBeUndefined();
});
