import { expect, test } from "bun:test";

import { isForApps } from "../../../src/upstream/catalogue/compose-tools.ts";

test.each([
  [undefined, false],
  [{}, false],
  [{ ui: "app" }, false],
  [{ ui: { resourceUri: "ui://a" } }, false],
  [{ ui: { visibility: "app" } }, false],
  [{ ui: { visibility: ["model", "app"] } }, false],
  [{ ui: { visibility: ["model"] } }, false],
  [{ ui: { visibility: ["app"] } }, true],
  [{ ui: { visibility: [] } }, true],
])("isForApps() of _meta %j is %p", (meta, expected) => {
  expect(isForApps({ name: "a", ...(meta && { _meta: meta }) })).toBe(expected);
});
