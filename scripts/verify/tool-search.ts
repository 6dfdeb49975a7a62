/** The search for tools on the definitions of published servers, which are fetched now: none of their texts is kept here. */
import { join } from "node:path";

import { root } from "../../test/e2e/harness/binary.ts";
import { halves, readCollected, type Half } from "../tool-search/corpus.ts";
import { measure, productSearch } from "../tool-search/measure.ts";
import type { Outcome } from "./outcome.ts";

/** A little below the figures of docs/tool-search.md. */
const goals: readonly (readonly [size: number, half: Half, top1: number, recall5: number])[] = [
  [50, "tuned", 0.83, 0.97],
  [50, "heldOut", 0.83, 0.97],
  [500, "tuned", 0.7, 0.97],
  [500, "heldOut", 0.67, 0.91],
  [4000, "tuned", 0.65, 0.95],
  [4000, "heldOut", 0.63, 0.87],
];

export async function checkToolSearch(): Promise<Outcome> {
  const name = "tool_search on the tools of 25 published servers";
  const collect = Bun.spawn(["bun", join(root, "scripts/tool-search/collect.ts")], {
    cwd: root,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const complaints = await collect.stderr.text();
  const tools = readCollected();
  if ((await collect.exited) !== 0 || tools === undefined) {
    const faults = [
      "not run: some servers could not be fetched or asked",
      ...complaints.trim().split("\n"),
    ];
    return { name, passed: false, figures: "not run", faults };
  }
  const rows: { at: string; recall5: number; isMet: boolean }[] = [];
  for (const [size, half, top1, recall5] of goals) {
    const found = await measure(tools, size, half, productSearch);
    const isMet = found.top1 >= top1 && found.recall5 >= recall5;
    rows.push({ at: `${size} ${half}`, recall5: found.recall5, isMet });
  }
  return {
    name,
    passed: rows.every(({ isMet }) => isMet),
    figures: `${tools.length} tools, ${halves.tuned.length + halves.heldOut.length} queries; ${rows
      .map(({ at, recall5 }) => `${at} ${recall5.toFixed(3)}`)
      .join(", ")}`,
    faults: rows.filter(({ isMet }) => !isMet).map(({ at }) => `${at}: below its goal`),
  };
}
