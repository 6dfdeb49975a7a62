import { describe, expect, test } from "bun:test";

import type { ToolRisk } from "../../../src/base/tool-kinds.ts";
import { parseToolScopes, ToolScopes } from "../../../src/server/auth/tool-scopes.ts";

const principal = (...scopes: string[]) => ({ id: "token:t", scopes: new Set(scopes) });

describe("ToolScopes", () => {
  const scopes = parseToolScopes(
    " Bash=tools:exec|tools:all tools:use , ReadImage = tools:read,*=tools:use, ",
  );

  test.each([
    ["Bash", ["tools:exec", "tools:use"]],
    ["BackgroundBash", ["tools:exec", "tools:use"]],
    ["ReadImage", ["tools:read"]],
    ["Other", ["tools:use"]],
    ["constructor", ["tools:use"]],
  ])("requiredScopes(%p) is %p: an entry replaces the one for all others", (tool, expected) => {
    expect(scopes.requiredScopes(tool, "write")).toEqual(expected);
  });

  test.each([
    ["Bash", [], false],
    ["Bash", ["tools:exec"], false],
    ["Bash", ["tools:exec", "tools:use"], true],
    ["Bash", ["tools:all", "tools:use"], true],
    ["Bash", ["TOOLS:EXEC", "tools:use"], false],
    ["BackgroundBash", ["tools:use"], false],
    ["BackgroundBash", ["tools:exec", "tools:use"], true],
    ["ReadImage", ["tools:use"], false],
    ["ReadImage", ["tools:read"], true],
    ["Other", ["tools:use"], true],
    ["__proto__", ["tools:exec"], false],
  ])("isAllowed(%p) with %p is %p", (tool, held, expected) => {
    expect(scopes.isAllowed(principal(...held), tool, "write")).toBe(expected);
  });

  test("an entry of its own stands before the one for Bash", () => {
    const own = parseToolScopes("Bash=tools:exec,BackgroundBash=tools:jobs,*=tools:use");
    expect(own.requiredScopes("BackgroundBash", "destructive")).toEqual(["tools:jobs"]);
    expect(own.requiredScopes("Bash", "destructive")).toEqual(["tools:exec"]);
  });

  test.each<[tool: string, risk: ToolRisk, needed: readonly string[]]>([
    ["mcp__github__get_issue", "read", ["exact"]],
    ["mcp__github__get_repo", "read", ["get"]],
    ["mcp__github__delete_repo", "destructive", ["github"]],
    ["mcp__github__", "destructive", ["github"]],
    ["mcp__docs__get_page", "read", ["read"]],
    ["mcp__docs__put_page", "write", ["any"]],
    ["mcp__docs__drop_page", "destructive", ["destroy"]],
    ["mcp.github.get_repo", "destructive", ["destroy"]],
    ["Bash", "destructive", ["exec"]],
    ["BackgroundBash", "destructive", ["exec"]],
    // Named like an entry, which is not about a tool of this name.
    ["read", "write", ["any"]],
    ["destructive", "read", ["read"]],
    ["mcp__github__*", "write", ["github"]],
    [`mcp__github__${"x".repeat(500)}`, "write", ["any"]],
  ])("TM3: of several entries the most specific counts: %s, %s", (tool, risk, needed) => {
    const several = parseToolScopes(
      "*=any,read=read,destructive=destroy,mcp__github__*=github,mcp__github__get_*=get," +
        "mcp__github__get_issue=exact,Bash=exec,B*=b",
    );
    expect(several.requiredScopes(tool, risk)).toEqual(needed);
    expect(several.isAllowed(principal(...needed), tool, risk)).toBe(true);
    expect(several.isAllowed(principal("none"), tool, risk)).toBe(false);
  });

  test("TM3: a dot of a pattern is a dot, and of equals the first counts", () => {
    const equals = parseToolScopes("a.b*=first,a.?*=second,*.c=third");
    expect(equals.requiredScopes("a.bc", "read")).toEqual(["first"]);
    expect(equals.requiredScopes("axbc", "read")).toEqual([]);
    expect(parseToolScopes("x*=one,*x=two").requiredScopes("xx", "read")).toEqual(["one"]);
  });

  test.each<[entries: string, hasOtherServers: boolean, said: string | undefined]>([
    ["", true, undefined],
    ["Bash=tools:exec", false, undefined],
    ["Bash=tools:exec,*=tools:use", false, undefined],
    [
      "*=tools:use",
      false,
      'Bash, BackgroundBash come under "*", so a token with tools:use can run what they run.',
    ],
    [
      "BackgroundBash=x,*=a|b c",
      false,
      'Bash come under "*", so a token with a|b c can run what they run.',
    ],
    ["ReadImage=x", false, "Bash, BackgroundBash have no entry, so every token can run"],
    [
      "Bash=tools:exec,*=tools:use",
      true,
      'the tools of MCP servers come under "*", so a token with tools:use can run',
    ],
    ["*=x", true, "Bash, BackgroundBash, the tools of MCP servers come under"],
    ["destructive=x,*=y", true, undefined],
    ["Bash=x,mcp__*=y,*=z", true, undefined],
    ["Bash=x,mcp__github__*=y,*=z", true, 'the tools of MCP servers come under "*"'],
    ["B*=x,*=z", false, undefined],
  ])("commandWarning() of %p, other servers %p", (entries, hasOtherServers, said) => {
    const warning = parseToolScopes(entries).commandWarning(hasOtherServers);
    if (said === undefined) expect(warning).toBeUndefined();
    else expect(warning).toStartWith(`Tool scopes: ${said}`);
  });

  test("a principal without a list of scopes may do everything", () => {
    expect(scopes.isAllowed({ id: "local", scopes: undefined }, "Bash", "destructive")).toBe(true);
  });

  test("all names each scope that a challenge can name, once and sorted", () => {
    expect(scopes.all).toEqual(["tools:exec", "tools:read", "tools:use"]);
  });

  test.each([new ToolScopes(), parseToolScopes(""), parseToolScopes("Bash=x")])(
    "a tool without an entry is open to every principal",
    (open) => {
      expect(open.requiredScopes("Other", "destructive")).toEqual([]);
      expect(open.isAllowed(principal(), "Other", "destructive")).toBe(true);
    },
  );
});

describe("parseToolScopes()", () => {
  test.each([
    ["Bash", '"Bash" is not an entry'],
    ["=x", '"=x" is not an entry'],
    ["Bash=", '"Bash=" names no scope'],
    ["Bash= ", '"Bash=" names no scope'],
    ["Ba(=x", '"Ba(=x" has a name that no tool has'],
    ["Bash=x,Bash=y", '"Bash=y" is the second entry of this tool'],
    ['Bash="x"', '"Bash="x"" has a scope with characters that scopes cannot have'],
    ["Bash=a||b", '"Bash=a||b" has a scope with characters that scopes cannot have'],
  ])("%p is refused", (text, what) => {
    expect(() => parseToolScopes(text)).toThrow(
      `Tool scopes: ${what}; write "Tool=scope,*=scope".`,
    );
  });
});
