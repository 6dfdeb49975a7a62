import { formatAmount, formatDuration, oneLine } from "../base/cut-text.ts";
import { product } from "../base/product.ts";
import { escapeName } from "../base/unsafe-characters.ts";
import type { HubStatus } from "../hub/watch/hub-status.ts";
import { columns, type Printer } from "./command-io.ts";
import type { HubReport } from "./hub-report.ts";
import { serverStates, type StateWord } from "./state-words.ts";

/** Prints the hub for people. */
export function printHub(report: HubReport, print: Printer, now: number): void {
  const { hub, problem, others } = report;
  if (hub !== null) printRunning(hub, report, print, now);
  else if (problem !== null) printProblem(problem, print);
  else printNone(report, print);
  for (const { pid, version, startedAt, log } of others) {
    const age = formatDuration(Math.max(0, now - startedAt));
    print.marked(
      "attention",
      `A hub of another build (version ${escapeName(version)}) runs as process ${pid} since ${age}. It ends with its clients; its log is ${log}`,
    );
  }
}

function printProblem({ pid, reason }: NonNullable<HubReport["problem"]>, print: Printer): void {
  const who = pid === null ? "The hub" : `The hub (process ${pid})`;
  print.marked("bad", `${who} cannot be asked: ${reason}.`);
  print.note(`Look for more: ${product.name} doctor`);
}

function printNone({ mode, source, unsupported }: HubReport, print: Printer): void {
  const alone = "Each client runs its own MCP servers, and no background task outlives its client.";
  if (unsupported !== null) return print.marked("off", `${unsupported} ${alone}`);
  if (mode === "off") {
    print.marked("off", `No hub: HUB=off (${source}). ${alone}`);
    return print.note(`Use one again: ${product.name} config set HUB auto`);
  }
  print.marked("off", `No hub is running. ${settingText(mode, source)}`);
  const when =
    mode === "on" ? "The next client" : "The next client with MCP servers or a kept task";
  print.note(`${when} starts one. Servers for a hub: ${product.name} mcp list`);
}

function settingText(mode: HubReport["mode"], source: string): string {
  return `HUB=${mode} (${source})`;
}

function printRunning(
  hub: NonNullable<HubReport["hub"]>,
  { mode, source, idleS }: HubReport,
  print: Printer,
  now: number,
): void {
  const up = formatDuration(Math.max(0, now - hub.startedAt));
  const since = new Date(hub.startedAt).toLocaleString("sv-SE");
  print.marked(
    "good",
    `The hub runs as process ${hub.pid} since ${since} (${up}), version ${escapeName(hub.version)}`,
  );
  const idle = idleS === 0 ? "at once" : `after ${formatDuration(idleS * 1_000)}`;
  const setting =
    mode === "off"
      ? `${settingText(mode, source)}: new clients do not use it`
      : `${settingText(mode, source)}; without clients and kept tasks it ends ${idle}`;
  const facts = [setting, memoryText(hub), `log: ${hub.log}`];
  for (const fact of facts) if (fact !== undefined) print.row(`    ${fact}`);
  if (hub.endsWith !== undefined) {
    const why = "it could not leave the process that started it";
    print.marked("attention", `It ends with ${escapeName(hub.endsWith)}: ${why}.`, "  ");
  }
  printClients(hub, print, now);
  printServers(hub, print);
  printKept(hub, print, now);
  if (hub.leftOut !== undefined)
    print.note(`${formatAmount(hub.leftOut, "row")} more are not shown.`);
  for (const hint of hub.hints) print.marked("attention", oneLine(hint, 300));
  print.note(`End it: ${product.name} hub stop`);
}

function memoryText({ residentBytes, servers }: NonNullable<HubReport["hub"]>): string | undefined {
  if (residentBytes === null) return undefined;
  const sizes = servers.flatMap(({ residentBytes: bytes }) => bytes ?? []);
  const sum = sizes.reduce((total, bytes) => total + bytes, 0);
  const others = sizes.length === 0 ? "" : `, its MCP servers ${megabytes(sum)}`;
  return `memory: ${megabytes(residentBytes)}${others}`;
}

function printClients({ clients }: HubStatus, print: Printer, now: number): void {
  print.page(`Clients (${clients.length}):`);
  const rows = clients.map(({ pid, name, workspace, sinceMs, servers }) => [
    `pid ${pid}`,
    name ?? "?",
    formatAmount(servers, "server"),
    `for ${formatDuration(Math.max(0, now - sinceMs))}`,
    workspace ?? "",
  ]);
  for (const line of columns(filled(rows))) print.line(line.trimEnd());
}

/** Without the columns that are empty in all rows. */
function filled(rows: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const isFilled = (at: number): boolean => rows.some((row) => row[at] !== "");
  return rows.map((row) => row.filter((_, at) => isFilled(at)));
}

function printServers({ servers }: HubStatus, print: Printer): void {
  print.page(`MCP servers (${servers.length}):`);
  const cells = servers.map(({ name, state, users, isolation, residentBytes, pid, workspace }) => [
    name,
    wordOf(state).word,
    formatAmount(users.length, "client"),
    isolation,
    residentBytes === undefined ? "" : megabytes(residentBytes),
    pid === undefined ? "" : `pid ${pid}`,
    workspace ?? "",
  ]);
  for (const [at, line] of columns(filled(cells)).entries()) {
    print.marked(wordOf(servers[at]?.state ?? "").mark, line.trim(), "  ");
  }
}

function printKept({ kept }: HubStatus, print: Printer, now: number): void {
  if (kept.length === 0) return;
  print.page(`Kept tasks (${kept.length}):`);
  const rows = kept.map(({ id, state, startedAt, outputBytes, workspace, command }) => [
    String(id),
    state === "running" ? `running for ${formatDuration(Math.max(0, now - startedAt))}` : state,
    sizeText(outputBytes),
    workspace,
    oneLine(command),
  ]);
  for (const line of columns(rows)) print.line(line);
}

/** A state of a later version is shown as it is written. */
function wordOf(state: string): StateWord {
  const known = new Map<string, StateWord>(Object.entries(serverStates)).get(state);
  return known ?? { word: state, mark: "attention" };
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1_000_000)} MB`;
}

function sizeText(bytes: number): string {
  if (bytes < 1_000) return formatAmount(bytes, "byte");
  return bytes < 1_000_000 ? `${Math.round(bytes / 1_000)} kB` : megabytes(bytes);
}
