import { expect, test } from "bun:test";

import { searchPath } from "../../src/compose/sandbox-trials.ts";

const system = "/usr/bin:/bin:/usr/local/bin:/run/current-system/sw/bin";

test.each([
  [undefined, ""],
  ["/opt/bin:/usr/bin", ":/opt/bin:/usr/bin"],
  ["bin:.::./node_modules/.bin", ""],
  ["/work/it/node_modules/.bin:/work/it/tools:/work/it:/work/items/bin", ":/work/items/bin"],
  ["/work/node_modules/.bin:/node_modules/x:/my_node_modules", ":/my_node_modules"],
])("a sandbox is not looked for in what a project brings along: %p", (path, more) => {
  expect(searchPath(path, "/work/it")).toBe(system + more);
});
