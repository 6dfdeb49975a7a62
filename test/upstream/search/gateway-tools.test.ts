import { expect, test } from "bun:test";

import { estimateTokens } from "../../../src/upstream/catalogue/compose-tools.ts";
import {
  alwaysLoaded,
  parseCallArguments,
  parseSearchArguments,
  toolCallListing,
  toolSearchListing,
} from "../../../src/upstream/search/gateway-tools.ts";

test("[GW-21] what is listed for any number of hidden tools costs 1,500 estimated tokens at most", () => {
  expect(estimateTokens(toolSearchListing) + estimateTokens(toolCallListing)).toBeLessThan(700);
});

test("[GW-17] tool_call may be anything, tool_search changes nothing (DF6)", () => {
  expect(toolCallListing.annotations).toMatchObject({ destructiveHint: true, openWorldHint: true });
  expect(toolSearchListing.annotations).toMatchObject({
    readOnlyHint: true,
    destructiveHint: false,
  });
});

test("alwaysLoaded keeps what else is in _meta", () => {
  const listing = { ...toolCallListing, _meta: { "x/y": 1 } };
  expect(alwaysLoaded(listing)).toEqual({
    ...toolCallListing,
    _meta: { "x/y": 1, "anthropic/alwaysLoad": true },
  });
  expect(listing._meta).toEqual({ "x/y": 1 });
});

test.each<[unknown, object]>([
  [{ query: "q" }, { query: "q", limit: 5, charsMax: 9 }],
  [
    { query: "", limit: 1 },
    { query: "", limit: 1, charsMax: 9 },
  ],
  [
    { query: "q", limit: 25, server: "s", detail: "name", read_only: true, explain: false },
    {
      query: "q",
      limit: 25,
      server: "s",
      detail: "name",
      readOnly: true,
      explain: false,
      charsMax: 9,
    },
  ],
])("parseSearchArguments takes %p", (args, value) => {
  expect(parseSearchArguments(args, 9)).toEqual({ kind: "ok", value } as never);
});

test.each<[unknown, string]>([
  [undefined, "tool_search needs `query`: a few words that describe the task."],
  [[], "tool_search needs `query`: a few words that describe the task."],
  [{ query: 1 }, "tool_search needs `query`: a few words that describe the task."],
  [{ query: "q", limit: 0 }, "`limit` must be an integer from 1 to 25."],
  [{ query: "q", limit: 26 }, "`limit` must be an integer from 1 to 25."],
  [{ query: "q", limit: 1.5 }, "`limit` must be an integer from 1 to 25."],
  [{ query: "q", limit: "5" }, "`limit` must be an integer from 1 to 25."],
  [{ query: "q", server: 1 }, "`server` must be the name of a server."],
  [{ query: "q", detail: "all" }, "`detail` must be one of schema, summary, name."],
  [{ query: "q", read_only: "yes" }, "`read_only` must be true or false."],
  [{ query: "q", explain: 1 }, "`explain` must be true or false."],
])("parseSearchArguments refuses %p", (args, text) => {
  expect(parseSearchArguments(args, 9)).toEqual({ kind: "problem", text });
});

test("parseCallArguments: the name and the arguments, which may be absent", () => {
  const args = { a: { b: 1 } };
  expect(parseCallArguments({ name: "n", arguments: args })).toEqual({
    kind: "ok",
    value: { name: "n", args },
  });
  expect(parseCallArguments({ name: "n" })).toEqual({ kind: "ok", value: { name: "n", args: {} } });
});

test.each<[unknown, string]>([
  [{}, "tool_call needs `name`: a tool's name as tool_search gives it."],
  [null, "tool_call needs `name`: a tool's name as tool_search gives it."],
  [
    { name: "n", arguments: "{}" },
    "tool_call needs `arguments`, an object with the arguments of n.",
  ],
  [{ name: "n", arguments: [] }, "tool_call needs `arguments`, an object with the arguments of n."],
  [
    { name: "n", arguments: null },
    "tool_call needs `arguments`, an object with the arguments of n.",
  ],
])("parseCallArguments refuses %p", (args, text) => {
  expect(parseCallArguments(args)).toEqual({ kind: "problem", text });
});
