import type { ChosenBrowser } from "../web/browser/find-browser.ts";
import type { CommandIo } from "./command-io.ts";

/** `SCORPIOX_CHROME` is the short form of our own setting, and has priority. */
export function browserChoice(
  { env }: CommandIo,
  chromePath: string | undefined,
): ChosenBrowser | undefined {
  const short = env["SCORPIOX_CHROME"];
  if (short) return { path: short, setting: "SCORPIOX_CHROME" };
  return chromePath ? { path: chromePath, setting: "CHROME_PATH" } : undefined;
}
