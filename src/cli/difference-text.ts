import type { ItemDifference } from "../upstream/trust/catalogue-differences.ts";
import { differenceLines } from "../upstream/trust/difference.ts";
import { escapeHidden } from "../upstream/trust/hidden-characters.ts";

/** For people; every text is escaped. */
export function itemLines(server: string, item: ItemDifference): readonly string[] {
  const { state, hasHidden, differences } = item;
  const hidden = hasHidden ? ", with hidden characters" : "";
  const lines = differenceLines(differences).map((line) => `  ${line}`);
  const isUnknown = state === "changed" && differences.length === 0;
  return [
    `${server}: ${titleOf(item)} ${stateTexts[state]}${hidden}`,
    ...lines,
    ...(isUnknown ? ["  The approved text is no longer stored; this is the current one:"] : []),
    ...(isUnknown ? presentLines(item) : []),
  ];
}

/** As data: stable names, definitions left out. */
export function itemRow(server: string, item: ItemDifference): Readonly<Record<string, unknown>> {
  const { what, name, state, hasHidden, differences } = item;
  return { server, what, name, state, hidden: hasHidden, differences };
}

function titleOf({ what, name }: ItemDifference): string {
  return what === "instructions" ? what : `${what} ${escapeHidden(JSON.stringify(name))}`;
}

const stateTexts = {
  changed: "was changed",
  new: "is new",
  missing: "is no longer offered",
} as const;

function presentLines({ present }: ItemDifference): readonly string[] {
  const text = JSON.stringify(present?.definition ?? {}, undefined, 2);
  return text.split("\n").map((line) => `  ${escapeHidden(line)}`);
}
