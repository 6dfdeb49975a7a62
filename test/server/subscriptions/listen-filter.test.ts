import { describe, expect, test } from "bun:test";
import { watchedCharsMax, watchedResourcesMax } from "../../../src/base/limits.ts";
import type { Change } from "../../../src/calls/features.ts";
import {
  encodeListenFilter,
  isWanted,
  type ListenFilter,
  readListenFilter,
} from "../../../src/server/subscriptions/subscription.ts";

const nothing: ListenFilter = {
  tools: false,
  prompts: false,
  resources: false,
  uris: new Set(),
  taskIds: undefined,
};
const many = (count: number): string[] => Array.from({ length: count }, (_, n) => `x:${n}`);

describe("readListenFilter()", () => {
  test.each<[unknown, Partial<ListenFilter>]>([
    [{}, {}],
    [{ toolsListChanged: true }, { tools: true }],
    [{ toolsListChanged: false, promptsListChanged: true }, { prompts: true }],
    [{ resourcesListChanged: true, unknownThing: 5 }, { resources: true }],
    [{ resourceSubscriptions: ["a:b", "a:b", "a:c"] }, { uris: new Set(["a:b", "a:c"]) }],
    [
      { resourceSubscriptions: many(watchedResourcesMax) },
      { uris: new Set(many(watchedResourcesMax)) },
    ],
    [
      { resourceSubscriptions: ["x".repeat(watchedCharsMax)] },
      { uris: new Set(["x".repeat(watchedCharsMax)]) },
    ],
    [{ taskIds: [] }, { taskIds: new Set() }],
    [{ taskIds: ["1"] }, { taskIds: new Set(["1"]) }],
  ])("reads what is asked for (%#)", (notifications, expected) => {
    const filter = { ...nothing, ...expected };
    expect(readListenFilter({ notifications })).toEqual({ kind: "filter", filter });
  });

  test.each([
    [undefined],
    [null],
    [[]],
    ["all"],
    [{ toolsListChanged: 1 }],
    [{ promptsListChanged: null }],
    [{ resourcesListChanged: "true" }],
    [{ resourceSubscriptions: "a:b" }],
    [{ resourceSubscriptions: [5] }],
    [{ resourceSubscriptions: many(watchedResourcesMax + 1) }],
    [{ resourceSubscriptions: ["x".repeat(watchedCharsMax), "y"] }],
    [{ taskIds: {} }],
    [{ taskIds: [null] }],
    [{ taskIds: many(watchedResourcesMax + 1) }],
  ])("refuses what is malformed or too much (%#)", (notifications) => {
    expect(readListenFilter({ notifications }).kind).toBe("problem");
  });

  test("refuses a request without parameters", () => {
    expect(readListenFilter(undefined).kind).toBe("problem");
  });
});

describe("encodeListenFilter()", () => {
  test.each<[Partial<ListenFilter>, Record<string, unknown>]>([
    [{}, {}],
    [{ taskIds: new Set() }, {}],
    [
      {
        tools: true,
        prompts: true,
        resources: true,
        uris: new Set(["a:b"]),
        taskIds: new Set("1"),
      },
      {
        toolsListChanged: true,
        promptsListChanged: true,
        resourcesListChanged: true,
        resourceSubscriptions: ["a:b"],
        taskIds: ["1"],
      },
    ],
  ])("leaves out what is not honoured (%#)", (filter, expected) => {
    expect(encodeListenFilter({ ...nothing, ...filter })).toEqual(expected);
  });
});

describe("isWanted()", () => {
  const filter: ListenFilter = { ...nothing, tools: true, resources: true, uris: new Set(["a:b"]) };

  test.each<[Change, boolean]>([
    [{ kind: "tools" }, true],
    [{ kind: "tools", clientId: "me" }, true],
    [{ kind: "tools", clientId: "other" }, false],
    [{ kind: "prompts" }, false],
    [{ kind: "resources" }, true],
    [{ kind: "resources", clientId: "me" }, true],
    [{ kind: "resources", clientId: "other" }, false],
    [{ kind: "resource", uri: "a:b" }, true],
    [{ kind: "resource", uri: "a:c" }, false],
    [{ kind: "resource", uri: "a:b", clientId: "me" }, true],
    [{ kind: "resource", uri: "a:b", clientId: "other" }, false],
  ])("%j: %p", (change, expected) => {
    expect(isWanted(filter, change, "me")).toBe(expected);
  });
});
