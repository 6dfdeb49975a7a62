import { describe, expect, test } from "bun:test";

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
    expect(scopes.requiredScopes(tool)).toEqual(expected);
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
    expect(scopes.isAllowed(principal(...held), tool)).toBe(expected);
  });

  test("an entry of its own stands before the one for Bash", () => {
    const own = parseToolScopes("Bash=tools:exec,BackgroundBash=tools:jobs,*=tools:use");
    expect(own.requiredScopes("BackgroundBash")).toEqual(["tools:jobs"]);
    expect(own.requiredScopes("Bash")).toEqual(["tools:exec"]);
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
  ])("commandWarning() of %p, other servers %p", (entries, hasOtherServers, said) => {
    const warning = parseToolScopes(entries).commandWarning(hasOtherServers);
    if (said === undefined) expect(warning).toBeUndefined();
    else expect(warning).toStartWith(`Tool scopes: ${said}`);
  });

  test("a principal without a list of scopes may do everything", () => {
    expect(scopes.isAllowed({ id: "local", scopes: undefined }, "Bash")).toBe(true);
  });

  test("all names each scope that a challenge can name, once and sorted", () => {
    expect(scopes.all).toEqual(["tools:exec", "tools:read", "tools:use"]);
  });

  test.each([new ToolScopes(), parseToolScopes(""), parseToolScopes("Bash=x")])(
    "a tool without an entry is open to every principal",
    (open) => {
      expect(open.requiredScopes("Other")).toEqual([]);
      expect(open.isAllowed(principal(), "Other")).toBe(true);
    },
  );
});

describe("parseToolScopes()", () => {
  test.each([
    ["Bash", '"Bash" is not an entry'],
    ["=x", '"=x" is not an entry'],
    ["Bash=", '"Bash=" names no scope'],
    ["Bash= ", '"Bash=" names no scope'],
    ["Ba*=x", '"Ba*=x" has a name that no tool has'],
    ["Bash=x,Bash=y", '"Bash=y" is the second entry of this tool'],
    ['Bash="x"', '"Bash="x"" has a scope with characters that scopes cannot have'],
    ["Bash=a||b", '"Bash=a||b" has a scope with characters that scopes cannot have'],
  ])("%p is refused", (text, what) => {
    expect(() => parseToolScopes(text)).toThrow(
      `Tool scopes: ${what}; write "Tool=scope,*=scope".`,
    );
  });
});
