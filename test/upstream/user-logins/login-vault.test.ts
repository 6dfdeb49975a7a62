import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { userLoginSweepMs } from "../../../src/base/upstream-limits.ts";
import type { LoginRecord } from "../../../src/upstream/oauth/logins-file.ts";
import { loginRoads } from "../../../src/upstream/oauth/login-store.ts";
import { LoginVault, rowKeyOf } from "../../../src/upstream/user-logins/login-vault.ts";
import { ownerName } from "../../../src/upstream/user-logins/owned-server.ts";
import { PrincipalLogins } from "../../../src/upstream/user-logins/principal-logins.ts";
import { RowFiles } from "../../../src/upstream/user-logins/row-files.ts";
import { parseSecretsKeys } from "../../../src/upstream/user-logins/secrets-keys.ts";

let folder: string;
let now: number;
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), "scorpiox-vault-")), "user-logins");
  now = 1_000_000;
});
afterEach(() => rmSync(join(folder, ".."), { recursive: true, force: true }));

/** As a process of its own has it. */
function open(key = "ab"): LoginVault {
  const keys = parseSecretsKeys(key.repeat(32), "the file");
  return new LoginVault({
    rows: new RowFiles(folder),
    keys,
    roads: loginRoads({}),
    clock: () => now,
  });
}

const place = { url: "https://h.example/mcp" };
const record: LoginRecord = {
  issuer: "https://login.example",
  resource: place.url,
  client: { clientId: "us", authMethod: "none" },
  tokenEndpoint: "https://login.example/token",
  accessToken: "access-canary",
  refreshToken: "refresh-canary",
  issuedAt: 1,
  expiresAt: 2,
};
const request = (key: string): Parameters<LoginVault["put"]>[0] => {
  return {
    kind: "request",
    key: rowKeyOf(key),
    id: key,
    owner: "token:a",
    server: "s",
    since: now,
  };
};

describe("a vault", () => {
  test("keeps files that only this user can read, with nothing secret in clear", async () => {
    await new PrincipalLogins(open(), "token:alice", "s").add(place, record);
    const [name = ""] = readdirSync(folder).filter((file) => file.startsWith("login-"));
    const text = readFileSync(join(folder, name), "utf8");
    expect([statSync(folder).mode & 0o777, statSync(join(folder, name)).mode & 0o777]).toEqual([
      0o700, 0o600,
    ]);
    expect(text).not.toContain("canary");
    expect(JSON.parse(text)).toEqual({
      kind: "login",
      key: expect.stringMatching(/^[0-9a-f]{40}$/),
      id: expect.any(String),
      owner: "token:alice",
      server: "s",
      since: now,
      expiresAt: 2,
      sealed: expect.any(String),
    });
  });

  test("gives a row to one of those who take it at once", async () => {
    await open().put(request("x"), { secret: 1 });
    const vaults = [open(), open(), open(), open()];
    const taken = await Promise.all(vaults.map((vault) => vault.take("request", rowKeyOf("x"))));
    expect(taken.filter((row) => row !== undefined)).toHaveLength(1);
    expect(readdirSync(folder)).toEqual([]);
  });

  test("a row under the name of another principal, or of another login, does not open", async () => {
    const alice = new PrincipalLogins(open(), "token:alice", "s");
    const bob = new PrincipalLogins(open(), "token:bob", "s");
    await alice.add(place, record);
    await bob.add(place, { ...record, accessToken: "of-bob" });
    const [hers, his] = [alice, bob].map((logins) =>
      join(folder, `login-${logins.keyOf(place)}.json`),
    );
    const stolen = JSON.parse(readFileSync(his ?? "", "utf8")) as Record<string, unknown>;
    const { sealed } = JSON.parse(readFileSync(hers ?? "", "utf8")) as { sealed: string };
    writeFileSync(his ?? "", JSON.stringify({ ...stolen, sealed }));
    expect(await new PrincipalLogins(open(), "token:bob", "s").entry(place)).toBeUndefined();
    expect(await new PrincipalLogins(open(), "token:alice", "s").entry(place)).toBeDefined();
    expect(await new PrincipalLogins(open("cd"), "token:alice", "s").entry(place)).toBeUndefined();
  });

  test("forgets links that nobody used", async () => {
    const vault = open();
    await vault.put({ ...request("x"), expiresAt: now + 10 }, {});
    expect(await vault.get("request", rowKeyOf("x"))).toBeDefined();
    now += 10;
    expect(await vault.get("request", rowKeyOf("x"))).toBeUndefined();
    now += userLoginSweepMs;
    await vault.put({ ...request("y"), expiresAt: now + 10 }, {});
    expect(readdirSync(folder)).toEqual([`request-${rowKeyOf("y")}.json`]);
  });

  test("does not bring a login back that was ended during its renewal", async () => {
    const logins = new PrincipalLogins(open(), "token:alice", "s");
    await logins.add(place, record);
    const entry = await logins.entry(place);
    if (entry === undefined) throw new Error("no login");
    await new PrincipalLogins(open(), "token:alice", "s").remove(place);
    expect(logins.keep(entry, record)).rejects.toThrow("was ended meanwhile");
    expect(await logins.entry(place)).toBeUndefined();
  });
});

test.each([
  ["token:alice", "alice"],
  ["jwt:https://idp.example/|auth0|12", "auth0|12 (https://idp.example/)"],
  ["jwt-client:https://idp.example|bot", "bot (https://idp.example)"],
  ["local", "local"],
])("the principal %s is called %s", (owner, name) => {
  expect(ownerName(owner)).toBe(name);
});
