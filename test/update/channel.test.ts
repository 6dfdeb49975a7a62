import { describe, expect, test } from "bun:test";

import { channelOf, releaseFolder } from "../../src/update/channel.ts";

describe("[IN13] channelOf", () => {
  test.each([
    ["/home/you/.scorpiox/scorpiox-code", undefined],
    ["/home/you/bin/scorpiox-code", undefined],
    ["C:\\Users\\you\\.scorpiox\\scorpiox-code.exe", undefined],
    [
      "/home/you/.nvm/versions/node/v20/lib/node_modules/scorpiox-code-linux-x64/scorpiox-code",
      "npm",
    ],
    [
      "/home/you/.local/share/pnpm/global/5/.pnpm/scorpiox-code-linux-x64@1/node_modules/x/x",
      "pnpm",
    ],
    ["/home/you/.bun/install/global/node_modules/scorpiox-code-linux-x64/scorpiox-code", "Bun"],
    ["/opt/homebrew/Cellar/scorpiox-code/1.0.0/bin/scorpiox-code", "Homebrew"],
    ["C:\\Users\\you\\scoop\\apps\\scorpiox-code\\current\\scorpiox-code.exe", "Scoop"],
    ["C:\\Users\\you\\AppData\\Local\\Microsoft\\WinGet\\Packages\\x\\scorpiox-code.exe", "winget"],
    ["/usr/bin/scorpiox-code", "the system's packages"],
    ["/home/you/.npm/_npx/0a1b/node_modules/scorpiox-code-linux-x64/scorpiox-code", "npx"],
    [
      "/Users/you/Library/Application Support/Claude/Claude Extensions/x/server/scorpiox-code",
      "Claude Desktop",
    ],
    ["/opt/scorpiox-code/scorpiox-code", "the container image"],
  ])("%s is of %p", (executable, by) => {
    const channel = channelOf(executable);
    expect(channel.kind === "own" ? undefined : channel.by).toBe(by);
  });
});

describe("[IN13] what updates a copy of npm", () => {
  const global = "npm install --global scorpiox-code@latest";
  test.each([
    ["/usr/local/lib/node_modules/scorpiox-code-linux-x64/scorpiox-code", global],
    ["C:\\Users\\you\\AppData\\Roaming\\npm\\node_modules\\x\\scorpiox-code.exe", global],
    ["C:\\Program Files\\nodejs\\node_modules\\x\\scorpiox-code.exe", global],
    [
      "/home/you/project/node_modules/scorpiox-code-linux-x64/scorpiox-code",
      "npm install scorpiox-code@latest",
    ],
  ])("%s: %s", (executable, command) => {
    expect(channelOf(executable)).toEqual({ kind: "managed", by: "npm", command });
  });
});

describe("releaseFolder", () => {
  test.each([
    ["https://example.test/r/", "https://example.test/r"],
    ["file:///srv/release", "file:///srv/release"],
  ])("SCORPIOX_RELEASE_URL=%s", (url, folder) => {
    expect(releaseFolder({ SCORPIOX_RELEASE_URL: url })).toBe(folder);
  });
});
