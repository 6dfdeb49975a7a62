import { expect, test } from "bun:test";

import { RelayedPrincipals } from "../../../src/fleet/places/relayed-requests.ts";
import type { Principal } from "../../../src/server/auth/principal.ts";

const ci: Principal = { id: "token:ci", label: "ci", scopes: new Set(["a"]) };

function copy({ scopes, servers, ...rest }: Principal): Principal {
  return {
    ...rest,
    scopes: scopes && new Set(scopes),
    ...(servers !== undefined && { servers: new Set(servers) }),
  };
}

test("equal principals are one object", () => {
  const principals = new RelayedPrincipals();
  const known = principals.known({ ...ci, servers: new Set(["docs"]) });
  expect(principals.known(copy(known))).toBe(known);
  expect([principals.has(known), principals.has(copy(known))]).toEqual([true, false]);
});

const others: readonly Principal[] = [
  { ...ci, servers: new Set() },
  { ...ci, servers: new Set(["docs"]) },
  { ...ci, servers: new Set(["github"]) },
  { ...ci, scopes: new Set() },
  { ...ci, scopes: undefined },
  { ...ci, groups: ["admins"] },
  { ...ci, id: "token:other" },
];

test("a token with other rights never gets those of the one before", () => {
  const principals = new RelayedPrincipals();
  for (const other of [ci, ...others]) expect(principals.known(other)).toBe(other);
});
