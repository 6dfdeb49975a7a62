import { cpus, totalmem } from "node:os";

import { pageTable } from "../docs/markdown.ts";
import type { Outcome } from "./outcome.ts";

/** What is printed at the end: a line for each check, and below it what was wrong. */
export function summary(outcomes: readonly Outcome[]): string {
  const lines = outcomes.flatMap(({ name, passed, figures, faults }) => [
    `${passed ? "pass" : "FAIL"}  ${name}: ${figures}`,
    ...faults.map((fault) => `      ${fault}`),
  ]);
  const failed = outcomes.filter(({ passed }) => !passed).length;
  return [...lines, `${outcomes.length - failed} passed, ${failed} failed`].join("\n");
}

/** docs/internals/verification.md. */
export function page(outcomes: readonly Outcome[], when: Date): string {
  const cpu = cpus();
  const machine =
    `${process.platform} ${process.arch}, ${cpu.length} × ${cpu[0]?.model ?? "unknown"}, ` +
    `${Math.round(totalmem() / 1024 ** 3)} GiB, Bun ${Bun.version}`;
  const sections = outcomes
    .filter(({ details }) => details !== undefined)
    .map(({ name, details = [] }) => `## ${capital(name)}\n\n${table(details)}`);
  const rows = outcomes.map(
    ({ name, passed, figures }) => [name, passed ? "pass" : "FAIL", figures] as const,
  );
  const faults = outcomes.flatMap(({ name, faults }) =>
    faults.map((fault) => `- ${name}: ${fault}`),
  );
  return `${[
    "# Verification",
    "What takes too long for the test suite: `bun run verify` runs it and writes this page. `--only long` runs the test " +
      "files of which the suite takes a share (`test/fixtures/long-run.ts`) with every row and try.",
    "The servers by which the official SDKs are tested are in no package: `--sdk-servers CLONE` names a clone of " +
      "github.com/modelcontextprotocol/typescript-sdk with its tags, and they are tried with the other real servers. " +
      "Without it the figures of these say that they were not given.",
    "The checks `hub-processes`, `hub-figures`, `hub-kills`, `hub-fairness` and `hub-suite` are of the hub. `--hub " +
      "on|off|auto` and `--hub-idle S` are HUB and HUB_IDLE of every server that a check starts: `--only battery " +
      "--hub on --hub-idle 0` is the battery with a hub. `hub-figures` compares starts with an executable from before " +
      "the hub, which `--base-binary FILE` names, and the rest with `HUB=off`, in turns; its ratios mean something on " +
      "a machine without other work only.",
    `Last run: ${when.toISOString().slice(0, 10)}, on ${machine}.`,
    table(rows),
    ...(faults.length === 0 ? [] : [`## What fails\n\n${faults.map(plain).join("\n")}`]),
    ...sections,
  ].join("\n\n")}\n`;
}

function table(rows: readonly (readonly [string, string, string])[]): string {
  const cells = rows.map((row) => row.map(plain));
  return pageTable(["check", "result", "figures"], cells);
}

/** Text that Markdown shows as it is. */
function plain(text: string): string {
  return text.replaceAll(/[\r\n]+/g, " ").replaceAll(/[`*<>_\\]/g, String.raw`\$&`);
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
