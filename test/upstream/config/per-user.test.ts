import { describe, expect, test } from "bun:test";

import { isolationOf } from "../../../src/upstream/config/entry-options.ts";
import { mergeEntries } from "../../../src/upstream/config/load-upstream-config.ts";
import { readEntry } from "../../../src/upstream/config/read-entry.ts";
import {
  EntryFault,
  type EntryOrigin,
  type OauthOptions,
  type Principals,
  type ServerEntry,
} from "../../../src/upstream/config/server-entry.ts";

const origins = {
  user: { rank: 1, trust: "user", scope: "global" },
  project: { rank: 7, trust: "project", scope: "project" },
} as const satisfies Record<string, EntryOrigin>;

function read(
  oauth: object,
  more: object = {},
  trust: "user" | "project" = "user",
): readonly [ServerEntry, readonly string[]] {
  const warnings: string[] = [];
  const value = { url: "https://h.example/mcp", oauth, ...more };
  const warn = (text: string): void => void warnings.push(text);
  return [readEntry({ name: "s", value }, origins[trust], { warn }), warnings];
}

const client = { client_id: "us", client_secret: "${keyring:us}" };
const us = { clientId: "us", clientSecret: "${keyring:us}" };
const idp = { idp_issuer: "https://idp.example", idp_client_id: "we" };

test.each<readonly [object, OauthOptions]>([
  [{ per_user: false }, {}],
  [{ per_user: true }, { perUser: { confirm: "click" } }],
  [{ per_user: true, confirm: "token" }, { perUser: { confirm: "token" } }],
  [
    { ...client, per_user: true, grant: "token-exchange", issuer: "https://login.example" },
    {
      ...us,
      issuer: "https://login.example",
      perUser: { confirm: "click", trade: { grant: "token-exchange" } },
    },
  ],
  [
    { ...client, ...idp, per_user: true, grant: "enterprise", issuer: "https://login.example" },
    {
      ...us,
      issuer: "https://login.example",
      perUser: {
        confirm: "click",
        trade: { grant: "enterprise", idp: { issuer: "https://idp.example", clientId: "we" } },
      },
    },
  ],
])("oauth = %j", (written, expected) => {
  expect(read(written)).toMatchObject([{ options: { oauth: expected } }, []]);
});

test.each<readonly [object, object, string]>([
  [{ per_user: "yes" }, {}, "per_user"],
  [{ per_user: true, confirm: "never" }, {}, "confirm"],
  [{ per_user: true, grant: "client_credentials" }, {}, "grant"],
  [{ per_user: true, grant: "workload" }, {}, "grant"],
  [{ grant: "token-exchange", ...client }, {}, "per_user = true"],
  [{ per_user: true, grant: "token-exchange", ...client }, {}, "issuer"],
  [{ per_user: true, grant: "token-exchange", issuer: "https://l.example" }, {}, "client_id"],
  [{ per_user: true, grant: "enterprise", ...client }, {}, "issuer"],
  [
    { per_user: true, grant: "enterprise", issuer: "https://l.example", ...client },
    {},
    "idp_issuer and idp_client_id",
  ],
  [
    { per_user: true, grant: "enterprise", client_id: "us", issuer: "https://l.example", ...idp },
    {},
    "one of client_secret, private_key and private_key_file",
  ],
  [{ per_user: true }, { url: undefined, command: "x" }, "servers at a URL"],
  [{ per_user: true }, { headers: { authorization: "Bearer x" } }, "Authorization header"],
  [{ per_user: true }, { isolation: "shared" }, "isolation shared"],
  [{ per_user: true }, { isolation: "workspace" }, "isolation workspace"],
])("oauth = %j with %j makes the entry unusable: %s", (oauth, more, text) => {
  expect(() => read(oauth, more)).toThrow(EntryFault);
  expect(() => read(oauth, more)).toThrow(text);
});

describe("a project", () => {
  test("cannot set it", () => {
    const [entry, warnings] = read({ per_user: true, client_id: "theirs" }, {}, "project");
    expect([entry.options.oauth, warnings]).toEqual([
      { clientId: "theirs" },
      ["oauth.per_user is ignored: a project's file may only make it stricter."],
    ]);
  });

  test("cannot take it away, nor choose who trades the tokens", () => {
    const issuer = "https://login.example";
    const [users] = read({ ...client, ...idp, per_user: true, grant: "enterprise", issuer });
    const [projects] = read({ client_id: "theirs" }, { isolation: "shared" }, "project");
    const merged = mergeEntries([users, projects], () => {}).get("s");
    expect(merged?.entry.options.oauth).toEqual(users.options.oauth);
    if (merged === undefined) throw new Error("nothing");
    expect(isolationOf(merged.entry, "one")).toBe("user");
  });
});

test.each<readonly [object, Principals, string]>([
  [{}, undefined, "shared"],
  [{}, "one", "user"],
  [{}, "several", "user"],
  [{ isolation: "session" }, "one", "session"],
  [{ isolation: "call" }, "several", "call"],
])("with %j and %p principals each has its own connection: %s", (more, principals, expected) => {
  expect(isolationOf(read({ per_user: true }, more)[0], principals) as string).toBe(expected);
});
