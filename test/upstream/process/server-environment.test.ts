import { describe, expect, test } from "bun:test";

import { isBarePath } from "../../../src/upstream/process/prepare-launch.ts";
import {
  depthOf,
  serverEnvironment,
  type ServerEnvironmentInput,
  shareableBase,
  shareableEnvironment,
} from "../../../src/upstream/process/server-environment.ts";

const user = { name: "ada", homeDir: "/home/ada", shell: "/bin/zsh" };

function made(input: Partial<ServerEnvironmentInput>): Record<string, string> {
  return serverEnvironment({
    env: {},
    user,
    loginPath: undefined,
    platform: "linux",
    inheritEnv: [],
    own: {},
    ...input,
  });
}

describe("[GW-33] the environment of a server", () => {
  test("has the base set, nothing of ours and nothing else", () => {
    const env = {
      HOME: "/home/grace",
      PATH: "/opt/bin",
      LANG: "C.UTF-8",
      LC_TIME: "de_DE",
      TZ: "UTC",
      TERM: "xterm",
      TMPDIR: "/tmp",
      SSL_CERT_FILE: "/ca.pem",
      NODE_EXTRA_CA_CERTS: "/more.pem",
      AWS_SECRET_ACCESS_KEY: "canary",
      OPENAI_API_KEY: "canary",
      NODE_OPTIONS: "--inspect",
      LD_PRELOAD: "/evil.so",
      SCORPIOX_TOKEN: "canary",
      SCORPIOX_OWNER: "x.1",
      EMPTY: undefined,
    };
    expect(made({ env })).toEqual({
      HOME: "/home/grace",
      PATH: "/opt/bin",
      LANG: "C.UTF-8",
      LC_TIME: "de_DE",
      TZ: "UTC",
      TERM: "xterm",
      TMPDIR: "/tmp",
      SSL_CERT_FILE: "/ca.pem",
      NODE_EXTRA_CA_CERTS: "/more.pem",
      USER: "ada",
      LOGNAME: "ada",
      SHELL: "/bin/zsh",
      SCORPIOX_DEPTH: "1",
    });
  });

  test("has what its entry names and sets, which is stronger, but for our own variables", () => {
    const env = { PATH: "/bin", GH_TOKEN: "theirs", SCORPIOX_TOKEN: "ours", SCORPIOX_DEPTH: "2" };
    const own = { PATH: "/only", SCORPIOX_DEPTH: "0", SCORPIOX_OWNER: "me", SCORPIOX_HOME: "/h" };
    expect(made({ env, own, inheritEnv: ["GH_TOKEN", "SCORPIOX_TOKEN", "ABSENT"] })).toEqual({
      HOME: "/home/ada",
      USER: "ada",
      LOGNAME: "ada",
      SHELL: "/bin/zsh",
      PATH: "/only",
      GH_TOKEN: "theirs",
      SCORPIOX_DEPTH: "3",
      SCORPIOX_HOME: "/h",
    });
  });

  test.each([
    ["http://proxy:3128", "http://proxy:3128"],
    ["http://user:secret@proxy:3128", "http://proxy:3128"],
    ["user:secret@proxy:3128", "proxy:3128"],
    ["http://user:a/b@c@proxy:3128/", "http://proxy:3128/"],
    ["socks5h://user@proxy", "socks5h://proxy"],
    ["localhost,.example.com", "localhost,.example.com"],
  ])("a proxy %s is handed on as %s", (given, expected) => {
    for (const name of ["HTTPS_PROXY", "http_proxy", "ALL_PROXY", "no_proxy"]) {
      expect(made({ env: { [name]: given } })[name]).toBe(expected);
    }
  });

  test("on Windows names are the same in any case", () => {
    const env = { Path: "C:\\bin", SystemRoot: "C:\\Windows", ComSpec: "cmd.exe", HOME: "C:\\me" };
    const own = { PATH: "C:\\only", Extra: "1" };
    expect(made({ env, own, platform: "win32", inheritEnv: ["home"] })).toEqual({
      SystemRoot: "C:\\Windows",
      ComSpec: "cmd.exe",
      HOME: "C:\\me",
      PATH: "C:\\only",
      Extra: "1",
      SCORPIOX_DEPTH: "1",
    });
  });

  test("the login shell's folders complete the PATH", () => {
    const env = { PATH: "/venv/bin:/usr/bin" };
    expect(made({ env, loginPath: "/opt/node/bin:/usr/bin" })["PATH"]).toBe(
      "/venv/bin:/opt/node/bin:/usr/bin",
    );
  });
});

test.each([
  [undefined, 0],
  ["0", 0],
  ["1", 1],
  ["12", 12],
  ["-1", 0],
  ["1.5", 0],
  ["x", 0],
])("depthOf: SCORPIOX_DEPTH=%s is %d", (value, depth) => {
  expect(depthOf({ SCORPIOX_DEPTH: value })).toBe(depth);
});

test.each([
  [undefined, true],
  ["", true],
  ["/usr/bin:/bin:/usr/sbin:/sbin", true],
  ["/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", true],
  ["/opt/homebrew/bin:/usr/bin", false],
  ["/home/ada/.nvm/versions/node/v22/bin:/usr/bin", false],
])("isBarePath: %s is %s", (path, isBare) => {
  expect(isBarePath(path)).toBe(isBare);
});

const loginPath = "/home/me/.local/bin:/usr/local/bin:/usr/bin:/bin";
const me = { name: "me", homeDir: "/home/me", shell: "/bin/zsh" };

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
  expect(shareableEnvironment({ env, loginPath, user: me }, wanted)).toEqual({
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
