import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";

import { findMatches } from "../../../src/upstream/search/find-matches.ts";
import type { SearchedTool } from "../../../src/upstream/snapshot.ts";
import { buildToolIndex } from "../../../src/upstream/search/tool-index.ts";
import type { SearchQuery } from "../../../src/upstream/upstreams.ts";
import { searched } from "./searched.ts";

const properties = (
  names: Readonly<Record<string, string>>,
): SearchedTool["listing"]["inputSchema"] => ({
  type: "object",
  properties: Object.fromEntries(
    Object.entries(names).map(([name, description]) => [name, { type: "string", description }]),
  ),
});

const tools: readonly SearchedTool[] = [
  searched("github", "create_issue", { description: "Create a new issue in a repository" }),
  searched("github", "list_issues", {
    description: "List issues",
    annotations: { readOnlyHint: true },
  }),
  searched("github", "create_pull_request", { description: "Open a pull request" }),
  searched("gitlab", "create_issue", { description: "Create an issue in a project" }),
  searched("gitlab", "createMergeRequest", { title: "New merge request", description: "" }),
  searched("mail", "send", {
    description: "Sends an e-mail",
    inputSchema: properties({ recipient: "To whom" }),
  }),
  searched("shots", "take_screenshot", { description: "Captures what is on the display" }),
  searched("files", "read", {
    description: "Reads a file",
    inputSchema: properties({ path: "Where the document is" }),
  }),
];
const index = buildToolIndex(tools);

async function namesFor(
  query: string,
  more: Partial<SearchQuery> = {},
): Promise<readonly string[]> {
  const found = await findMatches(
    { query, charsMax: 10_000, ...more },
    { index, servers: [], blocked: [] },
  );
  if (found.kind === "problem") return [found.text];
  return found.matches.map(({ searched: { server, tool } }) => `${server}/${tool}`);
}

describe("a search", () => {
  test.each([
    ["create issue in a repository", "github/create_issue"],
    ["mcp__gitlab__create_issue", "gitlab/create_issue"],
    ["send", "mail/send"],
    ["file a ticket in gitlab", "gitlab/create_issue"],
    ["creating issues on github", "github/create_issue"],
    ["recipient", "mail/send"],
    ["whom", "mail/send"],
    ["screen shot", "shots/take_screenshot"],
    ["screenshto", "shots/take_screenshot"],
    ["isues list", "github/list_issues"],
    ["merge reque", "gitlab/createMergeRequest"],
    ["post an email", "mail/send"],
    ["zzzz qqqq", undefined],
    ["", undefined],
  ])("for %p finds %p first", async (query, name) => {
    expect((await namesFor(query))[0]).toBe(name);
  });

  test.each<[string, Partial<SearchQuery>, readonly string[]]>([
    ["issue", { server: "gitlab" }, ["gitlab/create_issue"]],
    ["issue server:GITLAB", {}, ["gitlab/create_issue"]],
    ["server:mail", {}, ["mail/send"]],
    ["issue server:git", { limit: 25, readOnly: true }, ["github/list_issues"]],
    ["server:nobody issue", {}, []],
    ["issue +list", {}, ["github/list_issues"]],
    ["issue +nothing", {}, []],
    ["issue", { readOnly: true }, ["github/list_issues"]],
    ["select:mcp__mail__send,mcp__files__read", { limit: 1 }, ["mail/send", "files/read"]],
    ["/^mcp__.*merge/i", {}, ["gitlab/createMergeRequest"]],
    [
      "/(/",
      {},
      [
        "The pattern /(/ is not a regular expression: missing closing ): `(`. Search with plain words, or with a simpler pattern.",
      ],
    ],
  ])("%p with %p", async (query, more, names) => {
    expect(await namesFor(query, more)).toEqual(names);
  });

  test("equal scores are in the order of the names, however the tools came", () => {
    const same = ["c", "a", "b"].map((server) =>
      searched(server, "ping", { description: "Pings" }),
    );
    const orders = [same, same.toReversed()].map((some) =>
      buildToolIndex(some)
        .search([{ text: "ping", isRequired: false }])
        .map(({ server }) => server),
    );
    expect(orders).toEqual([
      ["a", "b", "c"],
      ["a", "b", "c"],
    ]);
  });

  test("explains each field, and the factors of the name", () => {
    const [hit] = index.search([{ text: "recipient", isRequired: false }]);
    const explanation = hit?.explain();
    expect(
      explanation?.terms.map(({ word, term, fields }) => [word, term, [...fields.keys()]]),
    ).toEqual([["recipient", "recipient", ["argumentNames"]]]);
    expect(explanation?.boost).toEqual({ factor: 1, reasons: [] });
    const sum = explanation?.terms
      .flatMap(({ fields }) => [...fields.values()])
      .reduce((a, b) => a + b, 0);
    expect(hit?.score).toBeCloseTo(sum ?? 0);
  });

  test("never throws, whatever is asked", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary", maxLength: 60 }), async (query) => {
        expect(await namesFor(query)).toBeArray();
        expect(await namesFor(`/${query}/i`)).toBeArray();
      }),
    );
  });
});

describe("the first page", () => {
  const many = ["big", "one", "two"].flatMap((server) =>
    ["get_item", "get_items", "get_item_list", "get_item_info"].map((tool) =>
      searched(server, tool),
    ),
  );
  const wide = buildToolIndex(many);
  const servers = async (query: string, limit: number): Promise<readonly string[]> => {
    const found = await findMatches(
      { query, limit, charsMax: 10_000 },
      { index: wide, servers: [], blocked: [] },
    );
    return found.kind === "found" ? found.matches.map(({ searched: { server } }) => server) : [];
  };
  const countsOf = (names: readonly string[]): Readonly<Record<string, number>> =>
    Object.fromEntries(
      Map.groupBy(names, (name) => name)
        .entries()
        .map(([name, all]) => [name, all.length]),
    );

  test("has three tools of a server at most", async () => {
    expect(Math.max(...Object.values(countsOf(await servers("get item", 5))))).toBeLessThanOrEqual(
      3,
    );
    expect(countsOf(await servers("get item", 9))).toEqual({ big: 3, one: 3, two: 3 });
  });

  test("has more when there is room, or when a server is meant", async () => {
    expect(countsOf(await servers("get item", 12))).toEqual({ big: 4, one: 4, two: 4 });
    expect(countsOf(await servers("server:big get item", 5))).toEqual({ big: 4 });
    expect(countsOf(await servers("get item of big", 4))).toEqual({ big: 4 });
  });
});
