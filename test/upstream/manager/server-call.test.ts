import { expect, test } from "bun:test";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { TrustStore } from "../../../src/upstream/trust/trust-store.ts";
import { launchIdentity } from "../../../src/upstream/config/entry-launch.ts";
import { upstreamLaunch } from "../../fixtures/upstream/launch.ts";
import { until } from "../connect/open-scripted.ts";
import { configText, type Configured, openPlace, type Opened, textOfReply } from "./open-work.ts";

const script = { tools: ["pid", "roots"] };

function states({ work }: Opened): Readonly<Record<string, string>> {
  return Object.fromEntries(work.infoList().map(({ name, state }) => [name, state]));
}

async function project(dir: string, servers: Readonly<Record<string, Configured>>): Promise<void> {
  await mkdir(dir, { recursive: true });
  await writeFile(join(dir, ".mcp.json"), configText(servers));
}

test("servers that two projects have in common keep their process, also where the folder stands in them", async () => {
  await using place = await openPlace();
  const other = join(place.home, "other");
  const env = { FOLDER: "${workspaceFolder}/x" };
  // Eager: else one of the two with one launch may know its tools from the other, and wait for a call.
  const same = { script, env, start: "eager" };
  await place.configure({ users: same, elsewhere: { script, cwd: place.home } });
  await project(place.project, { both: same, one: { script } });
  await project(other, { both: same, two: { script: { ...script, name: "two" } } });
  const opened = place.open({ trustsProject: true });
  await opened.work.start();
  const kept = ["both", "elsewhere", "users"];
  for (const name of [...kept, "one"]) await opened.reach(name, "ready");
  const pids = kept.map((name) => opened.info(name)?.pid);
  await opened.work.control({ kind: "switch-project", projectDir: other, folders: [other] });
  await opened.reach("two", "ready");
  expect(kept.map((name) => opened.info(name)?.pid)).toEqual(pids);
  expect(Object.keys(states(opened)).sort()).toEqual([...kept, "two"].sort());
  await opened.work.control({ kind: "switch-project", projectDir: null, folders: [] });
  // What names the folder of a project cannot be filled in where there is none.
  expect(states(opened)).toEqual({ elsewhere: "ready", users: "needs_config" });
});

test("an approval in one project is none in another", async () => {
  await using place = await openPlace();
  const other = join(place.home, "other");
  await project(place.project, { both: { script } });
  await project(other, { both: { script } });
  const launch = {
    transport: "stdio",
    ...upstreamLaunch(script),
    env: {},
  } as const;
  const trust = new TrustStore(join(place.home, ".scorpiox"));
  await trust.approveLaunch(launchIdentity(launch), place.project);
  const opened = place.open();
  await opened.work.start();
  await opened.reach("both", "ready");
  await opened.work.control({ kind: "switch-project", projectDir: other, folders: [other] });
  expect([states(opened), opened.processes.length]).toEqual([{ both: "untrusted" }, 1]);
  await opened.work.control({ kind: "switch-project", projectDir: place.project, folders: [] });
  await opened.reach("both", "cached");
});

test("servers that may ask for roots are told of other folders in the same project, others are not", async () => {
  await using place = await openPlace();
  const [asks, told] = ["asks", "told"].map((name) => join(place.home, `${name}.log`));
  await place.configure({
    asks: { script: { ...script, era: "legacy", logFile: asks ?? "" } },
    told: { script: { ...script, era: "legacy", logFile: told ?? "" }, roots: ["data"] },
  });
  const opened = place.open();
  await opened.work.start();
  for (const name of ["asks", "told"]) await opened.reach(name, "ready");
  const folders = [place.project, place.home];
  await opened.work.control({ kind: "switch-project", projectDir: place.project, folders });
  const changed = async (log: string | undefined): Promise<boolean> =>
    (await Bun.file(log ?? "").text()).includes("notifications/roots/list_changed");
  let isTold = false;
  await until(() => {
    void changed(asks).then((is) => (isTold = is));
    return isTold;
  });
  expect(await changed(told)).toBe(false);
  // Nobody is asked outside of a call that says what its client can do.
  const roots = textOfReply(
    await opened.call("asks", "roots", {}, { capabilities: { ...none, roots: false } }),
  );
  expect(folders.every((folder) => roots.includes(`file://${folder}"`))).toBe(true);
});

const none = {
  elicitationForm: false,
  elicitationUrl: false,
  sampling: false,
  samplingTools: false,
  roots: false,
  tasks: false,
};
