/** docs/internals/benchmarks.md: written text, and sections that a run fills in. */
import type { RunResult } from "../result.ts";
import { judge } from "../judge-targets.ts";
import { targets } from "../targets.ts";
import { comparisonTables } from "./comparison-tables.ts";
import { machineLine } from "./machine-line.ts";
import { noteLines } from "./notes.ts";
import { targetTable } from "./target-table.ts";

/** The document before its first run. */
export const emptyDocument = `# Benchmarks

\`bun run bench\` fills in the sections "Machine", "Targets", "Comparison" and "Notes" of this page; the rest is written
by hand. Machines are noisy: quote ratios taken in one run, and do not read a gap under 20 % (cold start) or 25 %
(shell).

## Machine

## Targets

## Comparison

## Notes

## Method

- The client speaks over raw pipes and \`posix_spawn\`, blocking, so that no event loop of its own is measured.
- All servers are measured interleaved, round by round, after a warm-up. Values are medians unless they say otherwise;
  "(n ×)" is the ratio to the better C floor in the same run.
- The floors are C programs that do the least that can be done: one answers canned JSON, the other starts a bash for
  each command from one poll loop. The least programs are what Bun allows with the design of the product, compiled as it is.
  The SDK servers are the plainest that the official TypeScript SDK allows.
- Every server gets the same empty home and working directory, and the same commands. The "cheap call" is the
  cheapest tool that a server has, \`echo\` or \`ListBgTasks\`; mcp-server-commands has none and is asked for a \`ping\`.
- "Private" memory is anonymous pages of the whole process tree; "PSS" adds its share of the executable. Memory per
  Worker is what a burst of calls adds, divided by the Workers it started, so garbage of the burst counts.
- "A minute after calls": servers that have answered 500 cheap calls and 10 shell calls, and then heard nothing for a minute.
- "One processor": client and servers share one, so that handing over to another thread wakes none.
- "First 30" are the first calls of fresh servers, "after 20 ms of nothing" come one by one with that pause.
- A server may cut long output; the time of "10 MB output" then is the time until the shortened result has come.
- "Behind a slow reader": 120 replies of 15 kB to a client that sleeps 600 ms and then reads 64 KB per ms.
- HTTP: a load generator on raw sockets, a process of its own, with keep-alive connections and one call at a time on
  each; it reads and checks every reply. Where there is \`taskset\`, each server has one core, for all its threads, and
  the generator another. "Its p99" is the median of the rounds' p99. The SDK's server is its \`createMcpHandler\`, for
  sessions its web-standard transport, under \`Bun.serve\`; "bare Bun.serve" reads the body and answers canned JSON.
- Calls through gateways: the compiled SDK v2 server behind each of them, over stdio, and the same server called
  directly. supergateway and mcp-proxy offer HTTP only, one session here, so that there is a row of ours over HTTP too.
  "By the official client": the same calls through the \`Client\` of the SDK v2 over stdio, run by Bun, whose own work is
  in both rows; the first column is of a client that costs next to nothing.
  "Its p99" is the median of the rounds' p99. The row "scorpiox-code → C floor" under "Calls" has the C floor behind it.
- "Idle session": what 10,000 legacy sessions, which is as many as there may be, add to the private memory of a server
  that has already seen 1,000 come and go; their connections are closed, or, for a thousand, left open.
`;

/** `document` with the sections of `result` in place of those it held. Throws when a section's heading is missing. */
export function fillDocument(document: string, result: RunResult): string {
  const verdicts = targets.map((target) => judge(target, result));
  const notes = noteLines(result);
  const sections = {
    Machine: machineLine(result),
    Targets: targetTable(verdicts),
    Comparison: comparisonTables(result),
    Notes: notes.length === 0 ? "Nothing failed." : notes.join("\n"),
  };
  return Object.entries(sections).reduce(
    (text, [heading, body]) => replaceSection(text, heading, body),
    document,
  );
}

/** Replaces what stands between `## heading` and the next heading of that level. Throws when there is no such heading. */
export function replaceSection(document: string, heading: string, body: string): string {
  const lines = document.split("\n");
  const start = lines.indexOf(`## ${heading}`);
  if (start < 0) throw new Error(`the document has no heading "## ${heading}": add it`);
  const next = lines.findIndex((line, index) => index > start && line.startsWith("## "));
  const rest = next < 0 ? [] : lines.slice(next);
  return [...lines.slice(0, start + 1), "", body, "", ...rest].join("\n");
}
