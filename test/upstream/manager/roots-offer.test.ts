import { expect, test } from "bun:test";
import { join } from "node:path";

import { CurrentProject } from "../../../src/upstream/manager/manager-parts.ts";
import { rootsOffer } from "../../../src/upstream/manager/roots-offer.ts";

const home = "/home/you";
const projectDir = join(home, "project");
const data = join(home, "data");
const dirs = { homeDir: home, scorpioxDir: join(home, ".scorpiox"), executableDir: home };

test("who is told nothing may not ask; who has folders of its entry never asks the client", () => {
  const project = { uri: `file://${projectDir}`, name: "project" };
  const current = new CurrentProject({ ...dirs, projectDir });
  const offers = (["none", "client", "workspace", [data]] as const).map((rule) => {
    const offer = rootsOffer(rule, current);
    return offer && [offer.isAsked, offer.known()];
  });
  expect(offers).toEqual([
    undefined,
    [true, [project]],
    [true, [project]],
    [false, [{ uri: `file://${data}`, name: "data" }]],
  ]);
  const told = (): unknown[] =>
    (["client", "workspace"] as const).map((rule) =>
      rootsOffer(rule, current)
        ?.known()
        .map(({ name }) => name),
    );
  expect(current.become(home, [data, home])).toEqual({ project: true, folders: true });
  expect(told()).toEqual([["data", "you"], ["you"]]);
  expect(current.become(undefined, [])).toEqual({ project: true, folders: true });
  expect([told(), current.dirs.projectDir]).toEqual([[[], []], undefined]);
});
