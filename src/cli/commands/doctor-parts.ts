import type { SandboxReport } from "../../commands/sandbox/notes.ts";
import { type BrowserSearch, findBrowser } from "../../web/browser/find-browser.ts";
import { readSystemFacts } from "../../web/browser/system-facts.ts";
import { type EngineReport, isAnswer, type SearchReply } from "../../web/search/search-reply.ts";
import { chosenBrowser } from "../../web/browser/chosen-browser.ts";
import { columns, exitCodes, type Printer } from "../command-io.ts";
import type { Command } from "../command.ts";
import { jsonFlag, startUpFlags } from "../flags.ts";
import { withProgress } from "../progress.ts";
import { startUp } from "../start-up.ts";

export const doctorBrowserCommand: Command = {
  usage: "[--json]",
  description:
    "Prints the browser that ReadDocs would use and the places that were searched, in order. Starts nothing.\n" +
    "Exits with 1 when no browser was found.",
  flags: { ...jsonFlag, ...startUpFlags },
  arguments: { min: 0, max: 0 },
  needsPerson: false,
  async run({ args, io, print }) {
    const { config } = startUp(args, io, print);
    const chosen = chosenBrowser(io.env, config.settings.web.chromePath);
    const search = findBrowser(readSystemFacts(io.homeDir, io.env), chosen);
    if (args.has("json")) print.json(asData(search));
    else printSearch(search, print);
    return search.kind === "found" ? exitCodes.done : exitCodes.failed;
  },
};

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

export const doctorSandboxCommand: Command = {
  usage: "[--json]",
  description:
    "Starts a command in each sandbox that this operating system has, and prints which sandboxes work, which one commands\n" +
    "run in, and how plan mode is enforced. Exits with 1 when commands are refused or no sandbox works.",
  flags: { ...jsonFlag, ...startUpFlags },
  arguments: { min: 0, max: 0 },
  needsPerson: false,
  async run({ args, io, print, services }) {
    const report = await services.probeSandbox(startUp(args, io, print));
    if (args.has("json")) print.json(sandboxAsData(report));
    else printReport(report, print);
    const works = report.trials.some(({ problem }) => problem === undefined);
    return works && report.refusal === null ? exitCodes.done : exitCodes.failed;
  },
};

function sandboxAsData({ settings, trials, used, refusal, planMode }: SandboxReport): object {
  const { mode, hasNetwork, writable, backend } = settings;
  return {
    settings: {
      mode,
      network: hasNetwork ? "on" : "off",
      write: writable,
      backend: backend ?? "auto",
    },
    sandboxes: trials.map((trial) => ({
      name: trial.name,
      network: trial.hasNetwork ? "on" : "off",
      works: trial.problem === undefined,
      problem: trial.problem ?? null,
    })),
    used,
    refusal,
    planMode,
  };
}

function printReport(
  { settings, trials, used, refusal, planMode }: SandboxReport,
  print: Printer,
): void {
  const rows = trials.map(
    ({ name, hasNetwork, problem }) =>
      [`${name}, ${hasNetwork ? "with" : "without"} the network`, problem ?? "works"] as const,
  );
  print.line(
    rows.length === 0
      ? "scorpiox-code has no sandbox for this operating system."
      : columns(rows).join("\n"),
  );
  const { mode, hasNetwork } = settings;
  print.line(
    `\nSANDBOX=${mode}, SANDBOX_NETWORK=${hasNetwork ? "on" : "off"}: ${fate(used, refusal)}`,
  );
  print.line(`Plan mode: ${planMode.join(" ")}`);
}

function fate(used: string | null, refusal: string | null): string {
  if (refusal !== null) return `commands are refused. ${refusal}`;
  return used === null ? "commands run without a sandbox." : `commands run in ${used}.`;
}

export const doctorSearchCommand: Command = {
  usage: "[--forget] [--json]",
  description:
    "Sends the same query to every search engine and prints which of them answer from this network. Suspended engines are\n" +
    "skipped unless --forget is given. Exits with 1 when none answers.",
  flags: {
    forget: {
      kind: "switch",
      help: "End all suspensions first: a suspension on one network says nothing about another.",
    },
    ...jsonFlag,
    ...startUpFlags,
  },
  arguments: { min: 0, max: 0 },
  needsPerson: false,
  async run(context) {
    const { args, io, print, services } = context;
    const start = startUp(args, io, print);
    await using web = await services.openSearch(start);
    if (args.has("forget") && !web.forget()) {
      print.warning("The store is not available now: some engines may still be suspended.");
    }
    const reply = await withProgress(
      context,
      () => "Asking the search engines",
      () => web.report(io.interrupted),
    );
    const { query, elapsedMs, engines } = reply;
    if (args.has("json")) print.json({ query, elapsedMs, engines });
    else printTable(reply, print);
    return engines.some(isAnswer) ? exitCodes.done : exitCodes.failed;
  },
};

function printTable({ query, elapsedMs, engines }: SearchReply, print: Printer): void {
  const rows = [["engine", "status", "results", "ms", "detail"], ...engines.map(rowOf)];
  for (const line of alignedLines(rows)) print.line(line);
  const answering = engines.filter(isAnswer).map(({ name }) => name);
  const who = answering.length === 0 ? "" : `: ${answering.join(", ")}`;
  const seconds = (elapsedMs / 1000).toFixed(1);
  const summary = `${answering.length} of ${engines.length} engines answer from this network${who}.`;
  print.line(`\n${summary} Asked for "${query}", in ${seconds} s.`);
  for (const line of adviceFor(engines)) print.line(line);
}

/** Columns of numbers to the right, others to the left. */
function alignedLines(rows: readonly (readonly string[])[]): string[] {
  const widths = [0, 1, 2, 3].map((column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  const align = (cell: string, column: number): string => {
    const width = widths[column] ?? 0;
    return column === 2 || column === 3 ? cell.padStart(width) : cell.padEnd(width);
  };
  return rows.map((row) => row.map(align).join("  ").trimEnd());
}

function rowOf({ name, status, count, ms, detail }: EngineReport): string[] {
  const isAsked = status !== "suspended";
  return [
    name,
    status.replaceAll("_", " "),
    status === "ok" ? String(count) : "",
    isAsked ? String(ms) : "",
    detail ?? "",
  ];
}

/** Advice for a person on each state; the names of the engines follow. */
const adviceByStatus: readonly (readonly [readonly EngineReport["status"][], string])[] = [
  [["parse_error"], "Their pages may have changed; a newer version may read them"],
  [["blocked", "poisoned"], "They take this address for a bot; use another network or a proxy"],
  [
    ["rate_limited"],
    "They received too many queries from this address and are suspended for a while",
  ],
  [
    ["timeout", "error"],
    "They could not be reached; check the network, the proxy and the firewall",
  ],
  [["suspended"], "Suspended; after a change of network, --forget asks them now"],
];

function adviceFor(engines: readonly EngineReport[]): string[] {
  return adviceByStatus.flatMap(([states, advice]) => {
    const named = engines.filter(({ status }) => states.includes(status)).map(({ name }) => name);
    return named.length === 0 ? [] : [`${advice}: ${named.join(", ")}.`];
  });
}
