import type { Params } from "../../protocol/json-rpc.ts";
import type { ItemDifference } from "./catalogue-differences.ts";
import { emptyPins, type ToolPins } from "./trust-record.ts";
import type { TrustStore } from "./trust-store.ts";

/**
 * Has what is there now approved, as it was shown; what is missing is forgotten.
 * @param named a tool that the user has named: if it was refused, it is no longer; others that were stay refused
 * @throws AppError `system`
 */
export async function approveDifferences(
  store: TrustStore,
  identity: string,
  items: readonly ItemDifference[],
  named?: string,
): Promise<void> {
  const definitions = new Map<string, Params>();
  for (const { present } of items) {
    if (present !== undefined) definitions.set(present.hash, present.definition);
  }
  await store.keepDefinitions(identity, definitions);
  await store.updatePins(identity, (pins = emptyPins) => {
    const tools = withItems(pins.tools, items, "tool");
    const prompts = withItems(pins.prompts, items, "prompt");
    const denied = new Set([...pins.denied].filter((name) => name !== named));
    return { ...withInstructions(pins, items), tools, prompts, denied };
  });
}

/** Refuses tools by name, whatever they are and become. @throws AppError `system` */
export async function denyTools(
  store: TrustStore,
  identity: string,
  names: readonly string[],
): Promise<void> {
  await store.updatePins(identity, (pins = emptyPins) => {
    return { ...pins, denied: new Set([...pins.denied, ...names]) };
  });
}

/** As if nobody had been asked about these tools: they wait for approval. @throws AppError `system` */
export async function revokeTools(
  store: TrustStore,
  identity: string,
  names: readonly string[],
): Promise<void> {
  await store.updatePins(identity, (pins) => {
    if (pins === undefined) return undefined;
    const tools = new Map(pins.tools);
    const denied = new Set(pins.denied);
    for (const name of names) {
      tools.delete(name);
      denied.delete(name);
    }
    return { ...pins, tools, denied };
  });
}

function withItems(
  hashes: ReadonlyMap<string, string>,
  items: readonly ItemDifference[],
  what: ItemDifference["what"],
): ReadonlyMap<string, string> {
  const changed = new Map(hashes);
  for (const item of items) {
    if (item.what !== what) continue;
    if (item.present === undefined) changed.delete(item.name);
    else changed.set(item.name, item.present.hash);
  }
  return changed;
}

function withInstructions(pins: ToolPins, items: readonly ItemDifference[]): ToolPins {
  const item = items.find(({ what }) => what === "instructions");
  if (item === undefined) return pins;
  const { instructions: _, ...rest } = pins;
  return item.present === undefined ? rest : { ...rest, instructions: item.present.hash };
}
