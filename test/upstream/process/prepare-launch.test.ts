import { expect, test } from "bun:test";

import { prepareLaunch } from "../../../src/upstream/process/prepare-launch.ts";
import type { ProcessLaunch } from "../../../src/upstream/process/upstream-process.ts";

const surroundings = {
  env: { PATH: "/usr/bin:/bin", TZ: "UTC", OWN: "secret of the hub", LANG: "C" },
  user: { name: "me", homeDir: "/home/me", shell: "/bin/sh" },
  loginPath: () => Promise.resolve(undefined),
};

const launch: ProcessLaunch = {
  server: "one",
  command: "sh",
  args: ["-c", "true"],
  env: { KEY: "value" },
  inheritEnv: ["TOKEN", "OWN"],
  cwd: "/",
};

test("HB3: a launch with a base has that of its client, and nothing of this process", async () => {
  const base = { PATH: "/bin:/usr/bin", TZ: "Asia/Tokyo", TOKEN: "of the client" };
  const { env } = await prepareLaunch({ ...launch, base }, surroundings);
  expect(env).toEqual({
    PATH: "/bin:/usr/bin",
    TZ: "Asia/Tokyo",
    TOKEN: "of the client",
    KEY: "value",
    HOME: "/home/me",
    USER: "me",
    LOGNAME: "me",
    SHELL: "/bin/sh",
    SCORPIOX_DEPTH: "1",
  });
});

test("a launch without a base has the environment of this process", async () => {
  const { env } = await prepareLaunch(launch, surroundings);
  expect(env).toMatchObject({ TZ: "UTC", LANG: "C", OWN: "secret of the hub", KEY: "value" });
});

test("HB3: a program is looked for in the PATH of the client", async () => {
  const looked = { ...launch, base: { PATH: "/nowhere/of/the/client" } };
  const found = prepareLaunch(looked, surroundings).catch((error: unknown) => String(error));
  expect(await found).toContain("/nowhere/of/the/client");
});
