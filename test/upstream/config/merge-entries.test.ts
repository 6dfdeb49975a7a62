import { describe, expect, test } from "bun:test";

import { ServerTree } from "./server-tree.ts";

const entry = (more: object): string => JSON.stringify({ s: { command: "x", ...more } });

/** What counts of an entry of the user's and of one of the project's, once that is approved. */
function merged(users: object, projects: object): object {
  using tree = new ServerTree({
    "home/.scorpiox/mcp_servers.json": entry(users),
    "project/.mcp.json": entry(projects),
  });
  const { servers, rules, problems } = tree.servers();
  const { policy, isolation, deny, allow } = servers.get("s")?.entry.options ?? {};
  return {
    ...(policy && { policy }),
    ...(isolation && { isolation }),
    ...(deny?.length !== 0 && { deny }),
    ...(allow && { allow }),
    ...(rules.length > 0 && {
      rules: rules.map(({ trust, effect, server, glob }) => `${trust} ${effect} ${server}:${glob}`),
    }),
    ...(problems.length > 0 && { problems: problems.map((text) => tree.relative(text)) }),
  };
}

const ignored = (key: string, own: string, wanted: string): string =>
  `project/.mcp.json: server "s": ${key} "${own}" is ignored: your own entry of this name says "${wanted}".`;

describe("[GW-01, GW-23] a project's entry in the place of the user's", () => {
  test.each([
    [{}, {}, {}],
    // Denies stay the user's.
    [
      { deny: ["a", "b_*"] },
      { deny: ["c"] },
      { deny: ["c"], rules: ["user deny s:a", "user deny s:b_*"] },
    ],
    [{ deny: ["a"] }, { allow: ["a"] }, { allow: ["a"], rules: ["user deny s:a"] }],
    // Of all else the whole entry counts (CF1).
    [{ allow: ["a"] }, {}, {}],
    [{ policy: "ask" }, {}, { policy: "ask" }],
    [
      { policy: "deny" },
      { policy: "ask" },
      { policy: "deny", problems: [ignored("policy", "ask", "deny")] },
    ],
    [{ policy: "ask" }, { policy: "deny" }, { policy: "deny" }],
    [{ policy: "allow" }, {}, {}],
    [{ policy: "allow" }, { policy: "ask" }, { policy: "ask" }],
    [{ isolation: "session" }, { isolation: "call" }, { isolation: "call" }],
    [{ isolation: "session" }, {}, { isolation: "session" }],
    [
      { isolation: "session" },
      { isolation: "user" },
      { isolation: "session", problems: [ignored("isolation", "user", "session")] },
    ],
    [{ isolation: "workspace" }, { isolation: "user" }, { isolation: "user" }],
  ])("%j and %j: %j", (users, projects, expected) => {
    expect(merged(users, projects)).toEqual(expected);
  });

  test("the strongest entry of the user counts, and the user's own replace each other as a whole", () => {
    using tree = new ServerTree({
      "home/.scorpiox/config.toml": `[mcp.servers.s]\ncommand = "x"\ndeny = ["weak"]\npolicy = "deny"\n`,
      "home/.scorpiox/mcp_servers.json": entry({ deny: ["strong"] }),
      "project/.mcp.json": entry({ deny: ["four"] }),
      "project/mcp_servers.json": entry({}),
    });
    const { servers, rules } = tree.servers();
    expect(rules).toEqual([{ effect: "deny", server: "s", glob: "strong", trust: "user" }]);
    expect(servers.get("s")?.entry.options.policy).toBeUndefined();
  });

  test("what --config names is the user's, and replaces as a whole", () => {
    using tree = new ServerTree({
      "home/.scorpiox/mcp_servers.json": entry({ deny: ["a"], policy: "deny" }),
      "given.json": entry({}),
    });
    const { servers, rules } = tree.servers({ configFiles: [tree.path("given.json")] });
    expect(rules).toEqual([]);
    expect(servers.get("s")?.entry.options.policy).toBeUndefined();
  });
});
