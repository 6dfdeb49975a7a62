import { join } from "node:path";

import type { Environment } from "../base/values.ts";
import { ownerMark } from "../commands/process/processes.ts";
import type { ConfigDirs } from "../config/places.ts";
import type { WebSettings } from "../config/settings.ts";
import { storePathIn } from "../state/store/open-store.ts";
import { chosenBrowser } from "../web/browser/chosen-browser.ts";
import type { WebOptions } from "../web/web.ts";

export interface WebOptionsInput {
  readonly settings: WebSettings;
  readonly dirs: Pick<ConfigDirs, "homeDir" | "scorpioxDir">;
  readonly env: Environment;
  /** The id of this server, by which its guardian knows the browser that it started. */
  readonly instanceId: string;
  readonly sharesFetched?: boolean;
}

/** Commands are numbered from 1: this number is the browser's. */
const browserNumber = 0;

const proxyVariables = ["HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "NO_PROXY"] as const;

/** The options of the web Worker, which reads neither configuration nor environment. */
export function createWebOptions(input: WebOptionsInput): WebOptions {
  const { settings, dirs, env, instanceId, sharesFetched } = input;
  const { homeDir, scorpioxDir } = dirs;
  return {
    pages: {
      allowHosts: settings.allowHosts,
      ...(sharesFetched === true && { sharesFetched }),
    },
    browser: {
      chosenPath: chosenBrowser(env, settings.chromePath),
      homeDir,
      env: browserEnvironment(env, homeDir),
      instanceId: ownerMark(instanceId, browserNumber),
      profilesDir: join(scorpioxDir, "browser"),
    },
    search: {
      engines: settings.searchEngines,
      baseUrls: settings.searchBaseUrls,
      searxngUrl: settings.searxngUrl,
      language: settings.searchLanguage,
      region: settings.searchRegion,
      marginaliaKey: settings.marginaliaKey,
      storePath: storePathIn(scorpioxDir),
    },
    proxyEnv: proxyVariablesOf(env),
  };
}

/**
 * The variables that a browser needs to start, to find its files and to draw: a list, because all others in the environment of a
 * server (keys, tokens) must not reach a process that runs the code of pages.
 */
const browserVariables: readonly RegExp[] = [
  /^(?:HOME|USER|LOGNAME|PATH|LANG|LANGUAGE|TZ|TMPDIR|TEMP|TMP|LD_LIBRARY_PATH)$/i,
  /^(?:LC_|XDG_|FONTCONFIG_|SNAP|FLATPAK_)\w*$/,
  /^(?:DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|DBUS_SESSION_BUS_ADDRESS)$/,
  /^(?:SYSTEMROOT|SYSTEMDRIVE|WINDIR|COMSPEC|PATHEXT|USERPROFILE|APPDATA|LOCALAPPDATA|PUBLIC)$/i,
  /^(?:PROGRAMFILES|PROGRAMFILES\(X86\)|PROGRAMW6432|PROGRAMDATA|ALLUSERSPROFILE)$/i,
  /^(?:NUMBER_OF_PROCESSORS|PROCESSOR_\w+|OS)$/i,
];

/** The part of the environment that a browser gets. */
export function browserEnvironment(
  env: WebOptionsInput["env"],
  homeDir: string,
): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && browserVariables.some((allowed) => allowed.test(name))) {
      found[name] = value;
    }
  }
  if (process.platform !== "win32") found["HOME"] ??= homeDir;
  return found;
}

function proxyVariablesOf(env: WebOptionsInput["env"]): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of proxyVariables.flatMap((upper) => [upper, upper.toLowerCase()])) {
    const value = env[name];
    if (value) found[name] = value;
  }
  return found;
}
