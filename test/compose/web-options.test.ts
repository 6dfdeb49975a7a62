import { describe, expect, test } from "bun:test";

import type { WebSettings } from "../../src/config/settings.ts";
import { createWebOptions } from "../../src/compose/web-options.ts";

const settings: WebSettings = {
  allowHosts: ["localhost"],
  chromePath: undefined,
  searchEngines: ["bing"],
  searchLanguage: "de",
  searchRegion: "AT",
  searxngUrl: "https://searx.example/",
  marginaliaKey: "key",
  searchBaseUrls: { bing: "http://127.0.0.1:1/" },
};
const dirs = { homeDir: "/home/u", scorpioxDir: "/home/u/.scorpiox" };

function optionsFor(
  env: Record<string, string | undefined>,
  chromePath?: string,
): ReturnType<typeof createWebOptions> {
  return createWebOptions({
    settings: { ...settings, chromePath },
    dirs,
    env,
    instanceId: "abc",
  });
}

describe("createWebOptions", () => {
  test.skipIf(process.platform === "win32")("takes everything from settings and folders", () => {
    expect(optionsFor({})).toEqual({
      pages: { allowHosts: ["localhost"] },
      browser: {
        chosenPath: undefined,
        homeDir: "/home/u",
        env: { HOME: "/home/u" },
        instanceId: "abc.0",
        profilesDir: "/home/u/.scorpiox/browser",
      },
      search: {
        engines: ["bing"],
        baseUrls: { bing: "http://127.0.0.1:1/" },
        searxngUrl: "https://searx.example/",
        language: "de",
        region: "AT",
        marginaliaKey: "key",
        storePath: "/home/u/.scorpiox/scorpiox.db",
      },
      proxyEnv: {},
    });
  });

  const allChromes = {
    SCORPIOX_CHROME: "/1",
    CHROME_PATH: "/3",
    PUPPETEER_EXECUTABLE_PATH: "/4",
    CHROME_BIN: "/5",
    BUN_CHROME_PATH: "/6",
  };
  test.each([
    [{}, undefined, undefined],
    [allChromes, "/2", { path: "/1", setting: "SCORPIOX_CHROME" }],
    [{ ...allChromes, SCORPIOX_CHROME: "" }, "/2", { path: "/2", setting: "CHROME_PATH" }],
    [{ CHROME_PATH: "/3", CHROME_BIN: "/5" }, undefined, { path: "/3", setting: "CHROME_PATH" }],
    [
      { PUPPETEER_EXECUTABLE_PATH: "/4", CHROME_BIN: "/5" },
      undefined,
      { path: "/4", setting: "PUPPETEER_EXECUTABLE_PATH" },
    ],
    [{ CHROME_BIN: "/5", BUN_CHROME_PATH: "/6" }, "", { path: "/5", setting: "CHROME_BIN" }],
    [{ BUN_CHROME_PATH: "/6" }, undefined, { path: "/6", setting: "BUN_CHROME_PATH" }],
  ])("the browser chosen by %j and the setting %p is %j", (env, setting, chosen) => {
    expect(optionsFor(env, setting).browser.chosenPath).toEqual(chosen);
  });

  test("the proxy of the user, however it is written", () => {
    const env = { HTTPS_PROXY: "http://p:1", http_proxy: "http://p:2", NO_PROXY: "", PROXY: "x" };
    expect(optionsFor(env).proxyEnv).toEqual({
      HTTPS_PROXY: "http://p:1",
      http_proxy: "http://p:2",
    });
  });

  test("the browser gets what it needs to run and none of the keys around it", () => {
    const needed = {
      HOME: "/h",
      PATH: "/bin",
      LANG: "C.UTF-8",
      LC_ALL: "C",
      DISPLAY: ":0",
      XDG_RUNTIME_DIR: "/run/user/1",
      LOCALAPPDATA: "C:\\L",
      "ProgramFiles(x86)": "C:\\P",
    };
    const kept = {
      GITHUB_TOKEN: "t",
      SCORPIOX_TOKEN: "t",
      SCORPIOX_OWNER: "other.1",
      AWS_SECRET_ACCESS_KEY: "s",
      HTTPS_PROXY: "http://u:p@proxy",
      LD_PRELOAD: "/x.so",
    };
    expect(optionsFor({ ...needed, ...kept }).browser.env).toEqual(needed);
  });
});
