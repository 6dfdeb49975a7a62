import { describe, expect, test } from "bun:test";

import type { Person } from "../../../../src/base/person.ts";
import { ownerText, parseOwner } from "../../../../src/calls/policy/rules/callers.ts";
import { action, judged } from "./judging.ts";

const issuer = "https://id.example.com";
const ada: Person = { label: "ada" };
const alice: Person = { issuer, sub: "auth0|alice", groups: ["dev", "ops-eu"] };

describe("TM3: rules by person", () => {
  test.each<[owner: string, person: Person | undefined, isMeant: boolean]>([
    ["ada", ada, true],
    ["ada", { label: "Ada" }, false],
    ["ad?", ada, true],
    ["a*", ada, true],
    ["*", ada, true],
    ["*", alice, false],
    ["*", {}, false],
    ["*", undefined, false],
    [`${issuer}|auth0|alice`, alice, true],
    [`${issuer}|*`, alice, true],
    [`${issuer}|auth0|bob`, alice, false],
    [`${issuer}/|auth0|alice`, alice, false],
    ["https://*|auth0|alice", alice, false],
    // A person whose subject reads like a label, and the other way round.
    ["ada", { issuer, sub: "ada" }, false],
    [`${issuer}|ada`, ada, false],
  ])("owner %j and a call of %j: %p", async (owner, person, isMeant) => {
    const file = { rules: [{ tool: "Bash", owner, action: "deny" }] };
    const call = { tool: "Bash", args: { command: "ls" }, ...(person && { person }) };
    expect(await action(file, call)).toBe(isMeant ? "deny 1" : "allow");
  });

  test.each<[rule: object, person: Person | undefined, verdict: string]>([
    [{ group: "dev" }, alice, "deny 1"],
    [{ group: ["admin", "ops-*"] }, alice, "deny 1"],
    [{ group: "admin" }, alice, "allow"],
    [{ group: "*" }, ada, "allow"],
    [{ group: "*" }, undefined, "allow"],
    [{ group: "admin" }, { ...alice, groups: "unknown" }, "deny 1"],
    [{ group: "admin", action: "ask" }, { ...alice, groups: "unknown" }, "ask 1"],
    [{ group: "dev", owner: `${issuer}|auth0|alice` }, alice, "deny 1"],
    [{ group: "dev", owner: `${issuer}|bob` }, alice, "allow"],
    [{ group: "admin", owner: `${issuer}|auth0|alice` }, alice, "allow"],
  ])("%j and a call of %j: %s", async (rule, person, verdict) => {
    const file = { rules: [{ tool: "Bash", action: "deny", ...rule }] };
    const call = { tool: "Bash", args: { command: "ls" }, ...(person && { person }) };
    expect(await action(file, call)).toBe(verdict);
  });

  test.each<[person: Person | undefined, verdict: string]>([
    [alice, "allow 1"],
    [{ ...alice, groups: "unknown" }, "deny"],
    [{ ...alice, groups: [] }, "deny"],
    [ada, "deny"],
    [undefined, "deny"],
  ])("a rule that allows a group allows nobody else: %j is %s", async (person, verdict) => {
    const file = {
      rules: [{ tool: "Bash", match: "kubectl", group: "dev", action: "allow" }],
      default: { Bash: "deny" },
    };
    const call = { tool: "Bash", args: { command: "kubectl get pods" }, ...(person && { person }) };
    expect(await action(file, call)).toBe(verdict);
  });

  const upstream = { server: "github", tool: "delete_repo" };
  const call = { tool: "mcp__github__delete_repo", args: {}, upstream };

  test.each<[rule: object, verdict: string]>([
    [{ server: "github" }, "deny 1"],
    [{ server: "git*" }, "deny 1"],
    [{ server: ["gitlab", "github"] }, "deny 1"],
    [{ server: "gitlab" }, "allow"],
    [{ server: "github", tool: "delete_*" }, "deny 1"],
    [{ server: "github", tool: "mcp__github__delete_repo" }, "deny 1"],
    [{ server: "github", tool: "create_*" }, "allow"],
    [{ server: "gitlab", tool: "*" }, "allow"],
    // Without the server, the server's own name of a tool is the name of another tool.
    [{ tool: "delete_repo" }, "allow"],
  ])("%j and a tool of github: %s", async (rule, verdict) => {
    expect(await action({ rules: [{ action: "deny", ...rule }] }, call)).toBe(verdict);
  });

  test("a rule about a server is not about own tools", async () => {
    const file = { rules: [{ server: "*", action: "deny" }] };
    expect(await action(file, "ls")).toBe("allow");
  });

  test.each<[rule: object, words: string]>([
    [{ owner: "a b" }, "owner must be the label of a token, or ISSUER|SUB"],
    [{ owner: "auth0|alice" }, "owner must be the label of a token, or ISSUER|SUB"],
    [{ owner: "" }, "owner must be text"],
    [{ group: [] }, "group is empty"],
    [{ server: 5 }, "server must be text"],
  ])("%j is a mistake that is asked about", async (rule, words) => {
    const file = { rules: [{ tool: "Bash", action: "deny", ...rule }] };
    const { action: found, reason } = await judged(file, "ls");
    expect([found, reason]).toEqual(["ask", expect.stringContaining(words)]);
  });
});

test.each(["ada", "ci-*", `${issuer}|a|b`, "http://127.0.0.1:8080/realm|*"])(
  "ownerText gives what parseOwner has read: %s",
  (text) => {
    const owner = parseOwner(text);
    expect(owner && ownerText(owner)).toBe(text);
  },
);
