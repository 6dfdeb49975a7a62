/** Target by target: what is asked, what was measured. */
import { adapterOf } from "../adapters.ts";
import type { ServerName } from "../adapters.ts";
import { metricOf } from "../metrics.ts";
import type { Verdict, VerdictState } from "../judge-targets.ts";
import type { Bound, Target } from "../targets.ts";
import { pageTable } from "../../docs/markdown.ts";
import { formatNumber, formatRatio, formatValue } from "./numbers.ts";

const headings = [
  "figure",
  "floor",
  "least program",
  "ours",
  "peer",
  "target",
  "ratio",
  "met?",
  "what the difference consists of",
];

const marks: Readonly<Record<VerdictState, string>> = {
  met: "yes",
  missed: "**no**",
  "not measured": "not measured",
  "no target": "–",
};

export function targetTable(verdicts: readonly Verdict[]): string {
  const rows = verdicts.map((verdict) => {
    const { target, measured, ratio, floor, least, peer } = verdict;
    const { unit } = metricOf(target.metric);
    const show = (value?: number): string => (value === undefined ? "–" : formatValue(value, unit));
    return [
      target.figure,
      show(floor),
      show(least),
      show(measured),
      show(peer),
      formatTarget(target),
      ratio === undefined ? "–" : formatRatio(ratio),
      formatState(verdict),
      target.difference ?? "–",
    ];
  });
  return pageTable(headings, rows);
}

function formatTarget(target: Target): string {
  if (target.bound === undefined) return "–";
  const sign = target.bound.is === "at most" ? "≤" : "≥";
  const text = `${sign} ${formatBound(target, target.bound)}`;
  return target.stretch ? `${text} (wish)` : text;
}

function formatBound(target: Target, bound: Bound): string {
  if (bound.kind === "multiple") {
    return `${formatFactor(bound.factor)} × ${formatReference(bound.of)}`;
  }
  const { unit } = metricOf(target.metric);
  const value = formatValue(bound.value, unit);
  if (bound.kind === "value") return value;
  return `${value} + ${formatValue(bound.each, unit)} per ${bound.unitName}`;
}

function formatFactor(factor: number): string {
  return factor < 0.5 ? `1/${formatNumber(1 / factor)}` : formatNumber(factor);
}

function formatReference(of: readonly [ServerName, ...ServerName[]]): string {
  const [first, ...others] = of;
  if (others.length === 0) return adapterOf(first).label;
  if (of.every((server) => adapterOf(server).relay === "http")) return "best other gateway";
  const builds = new Set(of.map((server) => adapterOf(server).build));
  if (builds.has("cc")) return "C floor";
  return builds.has("npm") ? "best official SDK" : "best official SDK, Bun-compiled";
}

function formatState({ target, state }: Verdict): string {
  return target.stretch && state === "missed" ? "no" : marks[state];
}
