import type { BrowserSearch, ChosenBrowser } from "../../web/browser/find-browser.ts";
import { findBrowser } from "../../web/browser/find-browser.ts";
import { readSystemFacts } from "../../web/browser/system-facts.ts";
import type { Command } from "../command.ts";
import type { CommandIo } from "../command-io.ts";
import { exitCodes } from "../command-io.ts";
import { columns } from "../print.ts";
import { jsonFlag } from "../json-flag.ts";
import type { Printer } from "../print.ts";
import { startUp, startUpFlags } from "../start-up.ts";

export const doctorBrowserCommand: Command = {
  usage: "[--json]",
  description:
    "Prints the browser that ReadDocs would use and the places that were searched, in order. Starts nothing.\n" +
    "Exits with 1 when no browser was found.",
  flags: { ...jsonFlag, ...startUpFlags },
  arguments: { min: 0, max: 0 },
  async run({ args, io, print }) {
    const { config } = startUp(args, io, print);
    const chosen = choiceOf(io, config.settings.web.chromePath);
    const search = findBrowser(readSystemFacts(io.homeDir, io.env), chosen);
    if (args.has("json")) print.json(asData(search));
    else printSearch(search, print);
    return search.kind === "found" ? exitCodes.done : exitCodes.failed;
  },
};

/** `SCORPIOX_CHROME` is the short form of our own setting, and has priority. */
function choiceOf({ env }: CommandIo, chromePath: string | undefined): ChosenBrowser | undefined {
  const short = env["SCORPIOX_CHROME"];
  if (short) return { path: short, setting: "SCORPIOX_CHROME" };
  return chromePath ? { path: chromePath, setting: "CHROME_PATH" } : undefined;
}

function asData(search: BrowserSearch): object {
  switch (search.kind) {
    case "found":
      return { found: search.path, from: search.from, isSnap: search.isSnap, tried: search.tried };
    case "bad-choice":
      return { found: null, chosen: search.chosen, problem: search.problem, tried: [] };
    case "missing":
      return { found: null, tried: search.tried };
  }
}

function printSearch(search: BrowserSearch, print: Printer): void {
  if (search.kind === "bad-choice") {
    const { path, setting } = search.chosen;
    print.line(`${setting} names ${path}, which ${search.problem}. No other place is searched.`);
    return;
  }
  const isFound = (path: string): boolean => search.kind === "found" && path === search.path;
  const rows = search.tried.map(
    ({ path, from }) => [`${isFound(path) ? "*" : " "} ${path}`, from] as const,
  );
  print.line(columns(rows).join("\n"));
  print.line(
    search.kind === "found"
      ? `\nReadDocs uses ${search.path}.`
      : "\nNo browser was found. Install Chrome, Chromium, Edge or Brave, or set CHROME_PATH to its executable.",
  );
}
