import type { EngineReport, SearchReply } from "../../web/search/search-reply.ts";
import { isAnswer } from "../../web/search/is-answer.ts";
import type { Command } from "../command.ts";
import { exitCodes } from "../command-io.ts";
import { jsonFlag } from "../json-flag.ts";
import type { Printer } from "../print.ts";
import { startUp, startUpFlags } from "../start-up.ts";

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
  async run({ args, io, print, services }) {
    const start = startUp(args, io, print);
    await using web = await services.openSearch(start);
    if (args.has("forget") && !web.forget()) {
      print.warning("The store is not available now: some engines may still be suspended.");
    }
    const reply = await web.report(io.interrupted);
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
