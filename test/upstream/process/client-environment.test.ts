import { expect, test } from "bun:test";

import {
  shareableBase,
  shareableEnvironment,
} from "../../../src/upstream/process/client-environment.ts";

const loginPath = "/home/me/.local/bin:/usr/local/bin:/usr/bin:/bin";
const user = { name: "me", homeDir: "/home/me", shell: "/bin/zsh" };

test.each([
  ["the same folders in another order", "/bin:/usr/bin", loginPath],
  ["with slashes at their ends", "/usr/bin/:/bin//", loginPath],
  ["no PATH", undefined, loginPath],
  ["a folder of its own", "/venv/bin:/usr/bin", "/venv/bin:/usr/bin"],
  ["a folder that only begins like one of it", "/usr/bin2", "/usr/bin2"],
])("PATH with %s", (_what, path, expected) => {
  const env = path === undefined ? {} : { PATH: path };
  expect(shareableBase({ env, loginPath }, []).PATH).toBe(expected);
});

test("PATH stays as it is where the login shell says nothing", () => {
  const env = { PATH: "/bin" };
  expect(shareableBase({ env, loginPath: undefined }, [])).toEqual(env);
});

test("TERM is left out, unless the entry inherits it", () => {
  const env = { TERM: "xterm", PATH: "/venv" };
  expect(shareableBase({ env, loginPath }, [])).toEqual({ PATH: "/venv" });
  expect(shareableBase({ env, loginPath }, ["TERM"])).toEqual(env);
});

test("the environment has all that the server would get, and nothing else of the client", () => {
  const env = { TERM: "xterm", TZ: "UTC", TOKEN: "secret", https_proxy: "http://u:p@proxy" };
  const wanted = { inheritEnv: [], own: { KEY: "value" } };
  expect(shareableEnvironment({ env, loginPath, user }, wanted)).toEqual({
    HOME: "/home/me",
    USER: "me",
    LOGNAME: "me",
    SHELL: "/bin/zsh",
    PATH: loginPath,
    TZ: "UTC",
    https_proxy: "http://proxy",
    KEY: "value",
    SCORPIOX_DEPTH: "1",
  });
});
