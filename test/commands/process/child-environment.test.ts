import { describe, expect, test } from "bun:test";

import { childEnvironment, joinPaths } from "../../../src/commands/process/shell.ts";

describe("joinPaths()", () => {
  const rows: [string, string | undefined, string | undefined, string][] = [
    ["nothing", undefined, undefined, "/usr/local/bin:/usr/bin:/bin"],
    ["empty", "", "", "/usr/local/bin:/usr/bin:/bin"],
    ["own only", "/a:/b", undefined, "/a:/b"],
    ["login only", undefined, "/a:/b", "/a:/b"],
    ["what only we have comes first", "/venv:/bin", "/bin:/opt/bin", "/venv:/bin:/opt/bin"],
    ["the login's order counts for what both have", "/b:/a", "/a:/b", "/a:/b"],
    ["empty entries, which mean the current folder, are dropped", ":/a::/b:", "/b:", "/a:/b"],
    ["no folder twice", "/a:/a:/c", "/b:/b", "/a:/c:/b"],
  ];
  test.each(rows)("%s", (_name, own, login, joined) => {
    expect(joinPaths(own, login)).toBe(joined);
  });
});

describe("childEnvironment()", () => {
  const user = { name: "ann", homeDir: "/home/ann", shell: "/bin/zsh" };
  const rows: [
    string,
    NodeJS.Platform,
    Record<string, string | undefined>,
    Record<string, string>,
  ][] = [
    [
      "a bare environment is completed",
      "linux",
      {},
      { HOME: "/home/ann", USER: "ann", LOGNAME: "ann", SHELL: "/bin/zsh", PATH: "/login" },
    ],
    [
      "what is set stays; our own settings and tokens go",
      "linux",
      {
        HOME: "/h",
        USER: "u",
        LOGNAME: "l",
        SHELL: "/s",
        PATH: "/own",
        SCORPIOX_TOKEN: "secret",
        SCORPIOX_OWNER: "outer.1",
        MY_SCORPIOX_X: "kept",
        GONE: undefined,
      },
      {
        HOME: "/h",
        USER: "u",
        LOGNAME: "l",
        SHELL: "/s",
        PATH: "/own:/login",
        MY_SCORPIOX_X: "kept",
      },
    ],
    [
      "Windows gets nothing of this",
      "win32",
      { Path: "C:\\x", SCORPIOX_A: "1" },
      { Path: "C:\\x" },
    ],
  ];
  test.each(rows)("%s", (_name, platform, env, expected) => {
    expect(childEnvironment({ env, user, loginPath: "/login", platform })).toEqual(expected);
  });
});
