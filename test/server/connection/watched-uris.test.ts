import { expect, test } from "bun:test";

import { WatchedUris } from "../../../src/server/connection/session.ts";

test("WatchedUris watches each once and ends each once", () => {
  const log: string[] = [];
  const uris = new WatchedUris();
  const add = (uri: string): void =>
    uris.add(uri, () => {
      log.push(`watch ${uri}`);
      return () => log.push(`end ${uri}`);
    });
  for (const uri of ["a", "b", "a", "c"]) add(uri);
  expect([[...uris], uris.size, uris.has("a"), uris.has("d")]).toEqual([
    ["a", "b", "c"],
    3,
    true,
    false,
  ]);
  for (const uri of ["b", "b", "d"]) uris.delete(uri);
  uris.clear();
  uris.clear();
  add("a");
  expect(log).toEqual(["watch a", "watch b", "watch c", "end b", "end a", "end c", "watch a"]);
});
