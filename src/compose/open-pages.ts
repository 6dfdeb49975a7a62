import type { PageOpener } from "../cli/command.ts";
import type { StartUp } from "../cli/start-up.ts";
import { Orphanage } from "../commands/process/orphanage.ts";
import { createPageBrowser } from "./page-browser.ts";

/** What shows pages to the user for one command; the browser outlives it. */
export function openPages(
  { config, dirs }: StartUp,
  env: Readonly<Record<string, string | undefined>>,
): PageOpener {
  const browser = createPageBrowser({
    setting: config.settings.askBrowser,
    env,
    homeDir: dirs.homeDir,
    platform: process.platform,
    orphanage: new Orphanage(),
  });
  return {
    canOpen: browser.canOpen,
    // What is no address might be an option of the program.
    open: (url) => (/^https?:\/\//.test(url) ? browser.open(url) : Promise.resolve(false)),
  };
}
