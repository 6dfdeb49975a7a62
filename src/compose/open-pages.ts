import type { Environment } from "../base/values.ts";
import type { PageOpener } from "../cli/command.ts";
import type { StartUp } from "../cli/start-up.ts";
import { startUserProgram } from "../commands/process/command.ts";
import { Orphanage } from "../commands/process/orphanage.ts";
import type { PageBrowser } from "../interact/questions/page/page-rung.ts";
import { browserEnvironment } from "./web-options.ts";

/** Opens pages for the user of one command; the browser outlives it. */
export function openPages({ config, dirs }: StartUp, env: Environment): PageOpener {
  const browser = createPageBrowser({
    setting: config.settings.askBrowser,
    env,
    homeDir: dirs.homeDir,
    platform: process.platform,
    orphanage: new Orphanage(),
  });
  return {
    canOpen: browser.canOpen,
    // Text that is not an address might be an option of the program.
    open: (url) => (/^https?:\/\//.test(url) ? browser.open(url) : Promise.resolve(false)),
  };
}

export interface PageBrowserOptions {
  /** `auto`, `off`, or the path of a program. */
  readonly setting: string;
  readonly env: Environment;
  readonly homeDir: string;
  readonly platform: NodeJS.Platform;
  readonly orphanage: Orphanage;
  /** The program that opens pages has ended; this process may have got a browser that it started. */
  readonly onOpened?: () => void;
}

/** Shows pages to the user of this machine in their own browser, which outlives the server. */
export function createPageBrowser(options: PageBrowserOptions): PageBrowser {
  const opener = openerOf(options);
  if (opener === undefined) return { canOpen: false, open: () => Promise.resolve(false) };
  const env = {
    ...browserEnvironment(options.env, options.homeDir),
    // With it `xdg-open` asks nobody else.
    ...(options.env["BROWSER"] ? { BROWSER: options.env["BROWSER"] } : {}),
  };
  return {
    canOpen: true,
    async open(url) {
      const exitCode = await startUserProgram([...opener, url], env, options.orphanage);
      options.onOpened?.();
      return exitCode === 0;
    },
  };
}

/** The program that is given the address, without a shell; undefined when no page can be shown. */
export function openerOf({
  setting,
  env,
  platform,
}: Pick<PageBrowserOptions, "setting" | "env" | "platform">):
  readonly [string, ...string[]] | undefined {
  if (setting === "off") return undefined;
  if (setting !== "auto") return [setting];
  // The screen of this machine is not the one that somebody who came by SSH sits at.
  if (env["SSH_CONNECTION"] || env["SSH_TTY"]) return undefined;
  if (platform === "darwin") return ["/usr/bin/open"];
  if (platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler"];
  return env["DISPLAY"] || env["WAYLAND_DISPLAY"] ? ["xdg-open"] : undefined;
}
