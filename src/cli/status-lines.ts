import { formatAmount, formatCount, formatDuration } from "../base/amount-text.ts";
import { escapeName } from "../base/unsafe-characters.ts";
import type { ServerInfo } from "../upstream/server-state.ts";
import { readable } from "./standing-text.ts";

/** The status of a server for people: a line, and its problems below it. */
export function statusLines(info: ServerInfo): readonly string[] {
  const { name, state, reason, retryInMs } = info;
  const facts = [stateText(info), ...identityOf(info), offerText(info)].filter(Boolean).join(", ");
  const retry = retryInMs === null ? [] : [`  next attempt in ${formatDuration(retryInMs)}`];
  return [
    `${name}: ${facts}`,
    ...(info.startedAs === undefined ? [] : [`  started as ${escapeName(info.startedAs)}`]),
    ...callsLine(info),
    ...(reason === null ? [] : [`  ${readable(reason).replaceAll("\n", "\n  ")}`]),
    ...retry,
    ...(isWell(state) ? [] : stderrLines(info).map((line) => `  ${line}`)),
  ];
}

/** The server's last lines on stderr, unless the reason has them. */
export function stderrLines({ stderr, reason }: ServerInfo): readonly string[] {
  const isKnown = stderr.length === 0 || reason?.includes(stderr.at(-1) ?? "") === true;
  return isKnown ? [] : ["It wrote to stderr:", ...stderr.map((line) => `| ${line}`)];
}

/** Counts of its offer to clients, and of the blocked items. */
export function offerText(info: ServerInfo): string {
  if (info.era === null) return "";
  const { pending, changed, denied } = info.blocked;
  const kept = [
    { count: pending, what: "waiting for approval" },
    { count: changed, what: "changed" },
    { count: denied, what: "denied" },
  ];
  const offers = [
    formatAmount(info.tools, "tool"),
    ...kept.filter(({ count }) => count > 0).map(({ count, what }) => `${count} ${what}`),
    formatAmount(info.prompts, "prompt"),
    formatAmount(info.resources, "resource"),
  ];
  return offers.join(", ");
}

function stateText({ state, starts }: ServerInfo): string {
  const again = starts > 1 ? ` after ${starts} starts` : "";
  return `${state.replace("_", " ")}${again}`;
}

function identityOf({ pid, protocolVersion, serverVersion }: ServerInfo): readonly string[] {
  return [
    pid === null ? "" : `process ${pid}`,
    serverVersion === null ? "" : `version ${escapeName(serverVersion)}`,
    protocolVersion === null ? "" : `MCP ${protocolVersion}`,
  ];
}

function callsLine({ calls, failures, resultBytes, p50Ms, p95Ms, dropped }: ServerInfo): string[] {
  if (calls === 0 && dropped === 0) return [];
  const times = p50Ms === null ? [] : [`half of them within ${p50Ms} ms, 95 % within ${p95Ms} ms`];
  const facts = [
    formatAmount(calls, "call"),
    ...(failures === 0 ? [] : [`${failures} failed`]),
    ...times,
    `${formatCount(resultBytes)} bytes of results`,
    ...(dropped === 0 ? [] : [`${formatAmount(dropped, "message")} dropped`]),
  ];
  return [`  ${facts.join(", ")}`];
}

function isWell(state: ServerInfo["state"]): boolean {
  return state === "ready" || state === "cached" || state === "disabled" || state === "stopped";
}
