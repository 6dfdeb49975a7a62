/** Where browsers that can be driven are found on the three systems (docs/browser.md#which-browser). Data only. */

/** Names that are looked for in `PATH`, best first. */
export const commandNames = [
  "google-chrome-stable",
  "google-chrome",
  "chromium",
  "chromium-browser",
  "chrome",
  "chrome-headless-shell",
  "microsoft-edge-stable",
  "microsoft-edge",
  "brave-browser",
  "brave",
  "vivaldi-stable",
] as const;

export const windowsCommandNames = ["chrome.exe", "msedge.exe", "brave.exe"] as const;

const flatpakNames = ["com.google.Chrome", "org.chromium.Chromium"] as const;

/** Absolute paths on Linux; `~` is the home directory. */
export const linuxPlaces: readonly string[] = [
  "/opt/google/chrome/chrome",
  "/opt/google/chrome-beta/chrome",
  "/opt/google/chrome-unstable/chrome",
  "/usr/bin/google-chrome-stable",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/lib/chromium/chromium",
  "/usr/lib64/chromium-browser/chromium-browser",
  "/snap/bin/chromium",
  ...flatpakNames.map((name) => `/var/lib/flatpak/exports/bin/${name}`),
  ...flatpakNames.map((name) => `~/.local/share/flatpak/exports/bin/${name}`),
  "/opt/microsoft/msedge/msedge",
  "/opt/brave.com/brave/brave",
];

const macApplications = [
  "Google Chrome",
  "Google Chrome Beta",
  "Google Chrome Dev",
  "Google Chrome Canary",
  "Chromium",
  "Microsoft Edge",
  "Brave Browser",
  "Arc",
] as const;

export const macPlaces: readonly string[] = ["/Applications", "~/Applications"].flatMap((folder) =>
  macApplications.map((name) => `${folder}/${name}.app/Contents/MacOS/${name}`),
);

/** Variables that name the folders of installed programs, in the order in which they are tried. */
export const windowsFolderVariables = [
  "PROGRAMFILES",
  "ProgramW6432",
  "ProgramFiles(x86)",
  "LOCALAPPDATA",
] as const;

/** Below each of those folders. */
export const windowsPlaces = [
  "Google\\Chrome\\Application\\chrome.exe",
  "Google\\Chrome Beta\\Application\\chrome.exe",
  "Google\\Chrome Dev\\Application\\chrome.exe",
  "Google\\Chrome SxS\\Application\\chrome.exe",
  "Chromium\\Application\\chrome.exe",
  "Microsoft\\Edge\\Application\\msedge.exe",
  "BraveSoftware\\Brave-Browser\\Application\\brave.exe",
] as const;

const appPaths = "SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\App Paths";

/** Keys whose default value is the path of a browser. */
export const windowsRegistryKeys: readonly string[] = ["chrome.exe", "msedge.exe"].flatMap((name) =>
  ["HKLM", "HKCU"].map((hive) => `${hive}\\${appPaths}\\${name}`),
);

/** A folder of downloads with one folder per version, and the browser's path inside each of those. */
export interface BrowserCache {
  /** `~` is the home directory, `%NAME%` a variable. */
  readonly folder: string;
  /** The pattern of a version folder's name; the version is its first group. */
  readonly version: RegExp;
  /** Below the folder of a version, tried in this order. */
  readonly executables: readonly string[];
}

const puppeteerVersion = /^[a-z0-9_]+-([\d.]+)$/;
const playwrightChromium = /^chromium-(\d+)$/;
const playwrightShell = /^chromium_headless_shell-(\d+)$/;

export const linuxCaches: readonly BrowserCache[] = [
  {
    folder: "~/.cache/puppeteer/chrome",
    version: puppeteerVersion,
    executables: ["chrome-linux64/chrome", "chrome-linux-arm64/chrome"],
  },
  {
    folder: "~/.cache/puppeteer/chrome-headless-shell",
    version: puppeteerVersion,
    executables: [
      "chrome-headless-shell-linux64/chrome-headless-shell",
      "chrome-headless-shell-linux-arm64/chrome-headless-shell",
    ],
  },
  {
    folder: "~/.cache/ms-playwright",
    version: playwrightChromium,
    executables: ["chrome-linux64/chrome", "chrome-linux/chrome"],
  },
  {
    folder: "~/.cache/ms-playwright",
    version: playwrightShell,
    executables: [
      "chrome-headless-shell-linux64/chrome-headless-shell",
      "chrome-linux/headless_shell",
    ],
  },
];

const macTestingApp =
  "Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing" as const;

export const macCaches: readonly BrowserCache[] = [
  {
    folder: "~/.cache/puppeteer/chrome",
    version: puppeteerVersion,
    executables: [`chrome-mac-arm64/${macTestingApp}`, `chrome-mac-x64/${macTestingApp}`],
  },
  {
    folder: "~/.cache/puppeteer/chrome-headless-shell",
    version: puppeteerVersion,
    executables: [
      "chrome-headless-shell-mac-arm64/chrome-headless-shell",
      "chrome-headless-shell-mac-x64/chrome-headless-shell",
    ],
  },
  {
    folder: "~/Library/Caches/ms-playwright",
    version: playwrightChromium,
    executables: [
      "chrome-mac/Chromium.app/Contents/MacOS/Chromium",
      `chrome-mac-arm64/${macTestingApp}`,
      `chrome-mac-x64/${macTestingApp}`,
    ],
  },
  {
    folder: "~/Library/Caches/ms-playwright",
    version: playwrightShell,
    executables: [
      "chrome-mac/headless_shell",
      "chrome-headless-shell-mac-arm64/chrome-headless-shell",
      "chrome-headless-shell-mac-x64/chrome-headless-shell",
    ],
  },
];

export const windowsCaches: readonly BrowserCache[] = [
  {
    folder: "~\\.cache\\puppeteer\\chrome",
    version: puppeteerVersion,
    executables: ["chrome-win64\\chrome.exe", "chrome-win32\\chrome.exe"],
  },
  {
    folder: "~\\.cache\\puppeteer\\chrome-headless-shell",
    version: puppeteerVersion,
    executables: ["chrome-headless-shell-win64\\chrome-headless-shell.exe"],
  },
  {
    folder: "%LOCALAPPDATA%\\ms-playwright",
    version: playwrightChromium,
    executables: ["chrome-win64\\chrome.exe", "chrome-win\\chrome.exe"],
  },
  {
    folder: "%LOCALAPPDATA%\\ms-playwright",
    version: playwrightShell,
    executables: [
      "chrome-headless-shell-win64\\chrome-headless-shell.exe",
      "chrome-win\\headless_shell.exe",
    ],
  },
];
