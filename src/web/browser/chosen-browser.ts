import type { Environment } from "../../base/values.ts";

/** A browser that the user has chosen. */
export interface ChosenBrowser {
  readonly path: string;
  /** The setting or variable that says so. */
  readonly setting: string;
}

/** Other programs read these variables for the same purpose; strongest first. */
const otherVariables = [
  "CHROME_PATH",
  "PUPPETEER_EXECUTABLE_PATH",
  "CHROME_BIN",
  "BUN_CHROME_PATH",
] as const;

/**
 * Our own setting comes before the variables of other programs; `SCORPIOX_CHROME` is its short form.
 * @param chromePath the value of the setting `CHROME_PATH`
 */
export function chosenBrowser(
  env: Environment,
  chromePath: string | undefined,
): ChosenBrowser | undefined {
  const choices: [setting: string, path: string | undefined][] = [
    ["SCORPIOX_CHROME", env["SCORPIOX_CHROME"]],
    ["CHROME_PATH", chromePath],
    ...otherVariables.map((name): [string, string | undefined] => [name, env[name]]),
  ];
  for (const [setting, path] of choices) if (path) return { path, setting };
  return undefined;
}
