import { describe, expect, test } from "bun:test";

import { chosenBrowser } from "../../../src/web/browser/chosen-browser.ts";
import { findBrowser } from "../../../src/web/browser/find-browser.ts";
import { parseRegistryValue, type SystemFacts } from "../../../src/web/browser/system-facts.ts";

interface FakeSystem {
  readonly platform?: NodeJS.Platform;
  readonly env?: Readonly<Record<string, string>>;
  /** Executable files. */
  readonly files?: readonly string[];
  readonly folders?: Readonly<Record<string, readonly string[]>>;
  readonly texts?: Readonly<Record<string, string>>;
  readonly registry?: Readonly<Record<string, string>>;
}

function facts(system: FakeSystem): SystemFacts {
  const { platform = "linux", env = {}, files = [], folders = {} } = system;
  return {
    platform,
    homeDir: platform === "win32" ? "C:\\Users\\ann" : "/home/ann",
    env,
    isExecutableFile: (path) => files.includes(path),
    listFolder: (path) => folders[path] ?? [],
    readStart: (path) => system.texts?.[path] ?? "",
    readRegistry: (key) => system.registry?.[key],
  };
}

const mac = (app: string): string => `/Applications/${app}.app/Contents/MacOS/${app}`;
const appPaths = "SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\App Paths";

describe("findBrowser() finds", () => {
  const rows: [name: string, system: FakeSystem, path: string, from: string][] = [
    [
      "the best name in PATH, not the first folder",
      {
        env: { PATH: "/a:/b" },
        files: ["/a/chromium", "/b/google-chrome"],
      },
      "/b/google-chrome",
      "PATH",
    ],
    [
      "a browser of PATH before one in its usual place",
      { env: { PATH: "/b" }, files: ["/b/vivaldi-stable", "/opt/google/chrome/chrome"] },
      "/b/vivaldi-stable",
      "PATH",
    ],
    ["apt's Chromium", { files: ["/usr/bin/chromium"] }, "/usr/bin/chromium", "usual place"],
    [
      "Brave",
      { files: ["/opt/brave.com/brave/brave"] },
      "/opt/brave.com/brave/brave",
      "usual place",
    ],
    [
      "Edge",
      { files: ["/opt/microsoft/msedge/msedge"] },
      "/opt/microsoft/msedge/msedge",
      "usual place",
    ],
    ["snap's Chromium", { files: ["/snap/bin/chromium"] }, "/snap/bin/chromium", "usual place"],
    [
      "flatpak's Chrome of the user",
      { files: ["/home/ann/.local/share/flatpak/exports/bin/com.google.Chrome"] },
      "/home/ann/.local/share/flatpak/exports/bin/com.google.Chrome",
      "usual place",
    ],
    [
      "the newest of puppeteer's downloads, by number",
      {
        files: ["9.0.1", "131.0.9", "131.0.10"].map(
          (version) => `/home/ann/.cache/puppeteer/chrome/linux-${version}/chrome-linux64/chrome`,
        ),
        folders: {
          "/home/ann/.cache/puppeteer/chrome": [
            "linux-9.0.1",
            "linux-131.0.9",
            "linux-131.0.10",
            "other",
          ],
        },
      },
      "/home/ann/.cache/puppeteer/chrome/linux-131.0.10/chrome-linux64/chrome",
      "download of another program",
    ],
    [
      "Playwright's download",
      {
        files: ["/home/ann/.cache/ms-playwright/chromium-1194/chrome-linux/chrome"],
        folders: { "/home/ann/.cache/ms-playwright": ["chromium-1194", "firefox-1495"] },
      },
      "/home/ann/.cache/ms-playwright/chromium-1194/chrome-linux/chrome",
      "download of another program",
    ],
    [
      "macOS: Chrome before Edge",
      { platform: "darwin", files: [mac("Microsoft Edge"), mac("Google Chrome")] },
      mac("Google Chrome"),
      "usual place",
    ],
    [
      "macOS: an application of the user",
      { platform: "darwin", files: [`/home/ann${mac("Chromium")}`] },
      `/home/ann${mac("Chromium")}`,
      "usual place",
    ],
    [
      "macOS: Playwright's download",
      {
        platform: "darwin",
        files: [
          "/home/ann/Library/Caches/ms-playwright/chromium-1194/chrome-mac/Chromium.app/Contents/MacOS/Chromium",
        ],
        folders: { "/home/ann/Library/Caches/ms-playwright": ["chromium-1194"] },
      },
      "/home/ann/Library/Caches/ms-playwright/chromium-1194/chrome-mac/Chromium.app/Contents/MacOS/Chromium",
      "download of another program",
    ],
    [
      "Windows: PATH under its own spelling",
      { platform: "win32", env: { Path: "bin;C:\\tools" }, files: ["C:\\tools\\msedge.exe"] },
      "C:\\tools\\msedge.exe",
      "PATH",
    ],
    [
      "Windows: Chrome of this user before Edge of the machine? No: folder by folder",
      {
        platform: "win32",
        env: { "ProgramFiles(x86)": "C:\\P86", LOCALAPPDATA: "C:\\L" },
        files: [
          "C:\\L\\Google\\Chrome\\Application\\chrome.exe",
          "C:\\P86\\Microsoft\\Edge\\Application\\msedge.exe",
        ],
      },
      "C:\\P86\\Microsoft\\Edge\\Application\\msedge.exe",
      "usual place",
    ],
    [
      "Windows: what the registry names",
      {
        platform: "win32",
        files: ["D:\\Chrome\\chrome.exe"],
        registry: { [`HKCU\\${appPaths}\\chrome.exe`]: "D:\\Chrome\\chrome.exe" },
      },
      "D:\\Chrome\\chrome.exe",
      `HKCU\\${appPaths}\\chrome.exe`,
    ],
    [
      "Windows: Playwright's download",
      {
        platform: "win32",
        env: { LOCALAPPDATA: "C:\\L" },
        files: ["C:\\L\\ms-playwright\\chromium-1\\chrome-win\\chrome.exe"],
        folders: { "C:\\L\\ms-playwright": ["chromium-1"] },
      },
      "C:\\L\\ms-playwright\\chromium-1\\chrome-win\\chrome.exe",
      "download of another program",
    ],
  ];
  test.each(rows)("%s", (_name, system, path, from) => {
    const found = findBrowser(facts(system), undefined);
    expect({ ...found, tried: [] }).toEqual({
      kind: "found",
      path,
      from,
      isSnap: path.includes("/snap/"),
      tried: [],
    });
  });
});

describe("findBrowser() does not take", () => {
  const rows: [name: string, system: FakeSystem][] = [
    ["a relative entry of PATH", { env: { PATH: ".:bin:" }, files: ["chromium", "bin/chromium"] }],
    [
      "a Windows browser in WSL",
      {
        env: { PATH: "/mnt/c/tools", WSL_DISTRO_NAME: "Debian" },
        files: ["/mnt/c/tools/chrome"],
      },
    ],
    [
      "a relative path of the registry",
      {
        platform: "win32",
        files: ["chrome.exe"],
        registry: { [`HKLM\\${appPaths}\\chrome.exe`]: "chrome.exe" },
      },
    ],
    ["what is not executable", { env: { PATH: "/usr/bin" } }],
  ];
  test.each(rows)("%s", (_name, system) => {
    expect(findBrowser(facts(system), undefined).kind).toBe("missing");
  });
});

describe("findBrowser() with a choice", () => {
  const rows: [name: string, system: FakeSystem, setting: string | undefined, expected: object][] =
    [
      [
        "takes the setting before the variables",
        { env: { CHROME_BIN: "/b" }, files: ["/a", "/b"] },
        "/a",
        {
          kind: "found",
          path: "/a",
          from: "CHROME_PATH",
          isSnap: false,
          tried: [{ path: "/a", from: "CHROME_PATH" }],
        },
      ],
      [
        "takes the strongest variable",
        { env: { BUN_CHROME_PATH: "/b", PUPPETEER_EXECUTABLE_PATH: "/a" }, files: ["/a", "/b"] },
        undefined,
        {
          kind: "found",
          path: "/a",
          from: "PUPPETEER_EXECUTABLE_PATH",
          isSnap: false,
          tried: [{ path: "/a", from: "PUPPETEER_EXECUTABLE_PATH" }],
        },
      ],
      [
        "does not pass over one that is missing",
        { env: { PATH: "/usr/bin" }, files: ["/usr/bin/chromium"] },
        "/gone",
        {
          kind: "bad-choice",
          chosen: { path: "/gone", setting: "CHROME_PATH" },
          problem: "is not an executable file",
        },
      ],
      [
        "wants an absolute path",
        { files: ["chromium"] },
        "chromium",
        {
          kind: "bad-choice",
          chosen: { path: "chromium", setting: "CHROME_PATH" },
          problem: "is not an absolute path",
        },
      ],
      [
        "refuses a Windows browser in WSL",
        { env: { WSL_DISTRO_NAME: "Debian" }, files: ["/mnt/c/chrome.exe"] },
        "/mnt/c/chrome.exe",
        {
          kind: "bad-choice",
          chosen: { path: "/mnt/c/chrome.exe", setting: "CHROME_PATH" },
          problem: "is a Windows program, which WSL cannot drive",
        },
      ],
    ];
  test.each(rows)("%s", (_name, system, setting, expected) => {
    const chosen = chosenBrowser(system.env ?? {}, setting);
    expect(findBrowser(facts(system), chosen)).toMatchObject(expected);
  });
});

test.each([
  ["/snap/bin/chromium", "", true],
  ["/usr/bin/chromium-browser", '#!/bin/sh\nexec /snap/bin/chromium "$@"\n', true],
  ["/usr/bin/chromium-browser", "#!/bin/sh\nexec /usr/lib/chromium/chromium\n", false],
  ["/usr/bin/chromium-browser", "\x7fELF /snap/bin/", false],
])("findBrowser() knows snap's confinement of %s that begins with %j", (path, text, isSnap) => {
  const system = { files: [path], texts: { [path]: text } };
  expect(findBrowser(facts(system), undefined)).toMatchObject({ path, isSnap });
});

test("findBrowser() tells every place once when there is none", () => {
  const missing = findBrowser(facts({ env: { PATH: "/usr/bin:/usr/bin" } }), undefined);
  const paths = missing.kind === "missing" ? missing.tried.map(({ path }) => path) : [];
  expect(paths).toContain("/opt/google/chrome-beta/chrome");
  expect(paths.length).toBeGreaterThan(20);
  expect(new Set(paths).size).toBe(paths.length);
});

test.each([
  [
    "\r\nHKEY\r\n    (Default)    REG_SZ    C:\\Program Files\\c.exe\r\n\r\n",
    "C:\\Program Files\\c.exe",
  ],
  ['    (Standard)    REG_EXPAND_SZ    "C:\\c.exe"', "C:\\c.exe"],
  ["ERROR: The system was unable to find the specified registry key", undefined],
  ["    (Default)    REG_DWORD    0x1", undefined],
])("parseRegistryValue() of %j", (output, value) => {
  expect(parseRegistryValue(output)).toBe(value);
});
