import { expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { ConfigFollower } from "../../../src/upstream/manager/current-config.ts";
import { SharedRuntime } from "../../../src/upstream/manager/shared-runtime.ts";
import { until } from "../connect/open-scripted.ts";
import { upstreamOptions } from "../upstream-options.ts";
import { configText, openPlace, textOfReply } from "./open-work.ts";

test("CN3: a server whose secret takes its time delays no other, and is waited for", async () => {
  await using place = await openPlace();
  await place.configure({
    slow: { script: { tools: ["add"] }, env: { TOKEN: "${cmd:sleep 0.4; echo x}" } },
    well: { script: { tools: ["echo"] } },
  });
  const opened = place.open();
  const start = opened.work.start();
  await opened.reach("well", "ready");
  expect(opened.info("slow")?.state).toBe("starting");
  await until(() => opened.snapshots.at(-1)?.tools.length === 1);
  expect(opened.snapshot().isIncomplete).toBe(true);
  await start;
  await until(() => !opened.snapshot().isIncomplete);
  expect(opened.snapshot().tools).toHaveLength(2);
});

test("[HB1] tools of an earlier run are listed before the login shell has answered", async () => {
  await using place = await openPlace();
  await place.configure({ one: { script: { tools: ["echo"] } } });
  const first = place.open();
  await first.work.start();
  await first.reach("one", "ready");
  await first.work[Symbol.asyncDispose]();
  const shell = Promise.withResolvers<string>();
  const user = { name: "user", homeDir: place.home, shell: "/bin/sh" };
  const shared = new SharedRuntime({ user, loginPath: () => shell.promise });
  const opened = place.open({}, undefined, shared);
  const start = opened.work.start();
  await until(() => opened.snapshots.at(-1)?.tools.length === 1);
  expect(opened.snapshot()).toMatchObject({ isIncomplete: false, holdsLists: false });
  // A call waits for it.
  const call = opened.call("one", "echo", { text: "hi" });
  expect(opened.processes).toHaveLength(0);
  shell.resolve("/usr/bin:/bin");
  await start;
  expect(textOfReply(await call)).toBe("hi");
});

test("a call and a search that come before the configuration is read wait for it", async () => {
  await using place = await openPlace();
  await place.configure({ one: { script: { tools: ["echo"] } } });
  const first = place.open();
  await first.work.start();
  await first.reach("one", "ready");
  await first.work[Symbol.asyncDispose]();
  const opened = place.open();
  const call = opened.call("one", "echo", { text: "hi" });
  const search = opened.work.search(
    { query: "echo", charsMax: 10_000 },
    new AbortController().signal,
  );
  await opened.work.start();
  expect(textOfReply(await call)).toBe("hi");
  expect((await search).json).toContain("mcp__one__echo");
});

test("nothing is started by a work that was closed while it started", async () => {
  await using place = await openPlace();
  await place.configure({ one: { script: { tools: ["echo"] } } });
  const opened = place.open();
  const start = opened.work.start();
  await opened.work[Symbol.asyncDispose]();
  await start;
  expect(opened.processes).toHaveLength(0);
});

test("ConfigFollower: of two changes of the project at a time the last counts, and nothing older comes after it", async () => {
  await using place = await openPlace();
  const { home, project } = place;
  await place.configure({ both: {} });
  for (const name of ["a", "b"]) {
    await Bun.write(join(project, name, ".mcp.json"), configText({ [`in-${name}`]: {} }));
  }
  const seen: string[] = [];
  const own = { homeDir: home, scorpioxDir: join(home, ".scorpiox"), executableDir: home };
  const dirs = { ...own, projectDir: project };
  using follower = new ConfigFollower(upstreamOptions(dirs), async ({ config }) => {
    seen.push([...config.servers.keys()].join());
    await Bun.sleep(0);
  });
  const followIn = (projectDir: string): Promise<void> => {
    dirs.projectDir = projectDir;
    return follower.follow();
  };
  await Promise.all(["a", "b"].map((name) => followIn(join(project, name))));
  expect(seen.at(-1)).toBe("both,in-b");
  // What changes while it begins to watch is not overtaken by what was read before.
  const following = followIn(project);
  await writeFile(join(home, ".scorpiox", "mcp_servers.json"), configText({ new: {} }));
  await following;
  await until(() => seen.at(-1) === "new");
});
