import { expect, test } from "bun:test";
import { mkdirSync } from "node:fs";

import type { StartUp } from "../../src/cli/start-up.ts";
import type { ClientContext } from "../../src/calls/call.ts";
import { FollowedProject } from "../../src/compose/lazy-upstreams.ts";
import type { ClientPlace } from "../../src/upstream/upstreams.ts";
import { TempTree } from "../config/temp-tree.ts";

function followedIn(tree: TempTree): {
  readonly project: FollowedProject;
  readonly moves: readonly ClientPlace[];
  readonly warnings: readonly string[];
} {
  const moves: ClientPlace[] = [];
  const warnings: string[] = [];
  const dirs = { homeDir: tree.path("home"), projectDir: tree.path("first") };
  const project = new FollowedProject({
    start: { dirs } as unknown as StartUp,
    onMove: (place) => {
      moves.push(place);
      return place.folders.includes(tree.path("bad"))
        ? Promise.reject(new Error("no"))
        : Promise.resolve();
    },
    warn: (message) => warnings.push(message),
  });
  return { project, moves, warnings };
}

const client = (...folders: readonly string[]): ClientContext =>
  ({ roots: () => Promise.resolve(folders) }) as unknown as ClientContext;

test("the project is that of the first folder, else that of the start", async () => {
  using tree = new TempTree({ "first/.git": "", "second/.git": "", "second/sub/x": "" });
  const { project, moves } = followedIn(tree);
  const second = [tree.path("second/sub"), tree.path("first")];
  for (const folders of [[], second, second, [tree.path("home")], []]) {
    await project.follow(client(...folders));
    project.forget();
  }
  expect(moves.slice(0, 3)).toEqual([
    { projectDir: tree.path("second"), folders: second },
    { projectDir: null, folders: [tree.path("home")] },
    { projectDir: tree.path("first"), folders: [] },
  ]);
  await project.follow(client(...second));
  expect(project.follow(client("/other"))).toBeUndefined();
  project.forget();
  await project.follow(client());
  expect(project.start.dirs.projectDir).toBe(tree.path("first"));
});

test("a folder that is not here holds no project", async () => {
  using tree = new TempTree({ "first/.git": "", "second/.git": "" });
  const { project, moves } = followedIn(tree);
  const folders = [tree.path("gone"), tree.path("second/.git"), tree.path("second")];
  await project.follow(client(...folders));
  project.forget();
  await project.follow(client(tree.path("gone")));
  expect(moves).toEqual([
    { projectDir: tree.path("second"), folders },
    { projectDir: tree.path("first"), folders: [tree.path("gone")] },
  ]);
});

test("nobody is waited for who has no folders, sits elsewhere, or does not answer", async () => {
  using tree = new TempTree({ "first/.git": "" });
  const { project, moves, warnings } = followedIn(tree);
  expect(project.follow({} as ClientContext)).toBeUndefined();
  expect(project.follow({ ...client("/x"), isRemote: true })).toBeUndefined();
  const mute = { roots: () => new Promise(() => {}) } as unknown as ClientContext;
  await project.follow(mute);
  const broken = { roots: () => Promise.reject(new Error("gone")) } as unknown as ClientContext;
  await project.follow(broken);
  await project.follow(client("relative"));
  mkdirSync(tree.path("bad"));
  await project.follow(client(tree.path("bad")));
  expect(moves).toEqual([{ projectDir: tree.path("bad"), folders: [tree.path("bad")] }]);
  expect(warnings).toEqual([
    "The servers of the project could not be switched: gone",
    "The servers of the project could not be switched: no",
  ]);
});
