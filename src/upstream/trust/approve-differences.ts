import type { Params } from "../../protocol/json-rpc.ts";
import type { ServerCatalogue } from "../connect/connection.ts";
import {
  approvedInstructions,
  approvedPromptParts,
  approvedToolParts,
  differencesOf,
  type FieldDifference,
  definitionHash,
} from "./approved-definition.ts";
import { hasHidden } from "./hidden-characters.ts";
import { emptyPins, type ToolPins } from "./trust-file.ts";
import type { TrustStore } from "./trust-store.ts";

/**
 * Approves the current definitions as they were shown, and forgets missing ones. @param named a tool that the user
 * named: its refusal ends, others stay refused
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

/** Refuses tools by name, whatever their definitions are or become. @throws AppError `system` */
export async function denyTools(
  store: TrustStore,
  identity: string,
  names: readonly string[],
): Promise<void> {
  await store.updatePins(identity, (pins = emptyPins) => {
    return { ...pins, denied: new Set([...pins.denied, ...names]) };
  });
}

/** Forgets the decisions about these tools, so that they wait for approval. @throws AppError `system` */
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

/** One difference between a server's offer and its approved state. */
export interface ItemDifference {
  readonly what: "tool" | "prompt" | "instructions";
  /** The name of a tool or prompt; otherwise `instructions`. */
  readonly name: string;
  readonly state: "changed" | "new" | "missing";
  /** It has invisible characters, which are escaped in `differences`. */
  readonly hasHidden: boolean;
  /** Empty when the approved definition is not stored any more, and for a missing item. */
  readonly differences: readonly FieldDifference[];
  /** The current definition; absent for a missing item. */
  readonly present?: { readonly hash: string; readonly definition: Params };
}

interface Approved {
  readonly pins: ToolPins;
  readonly definitions: ReadonlyMap<string, Params>;
}

/**
 * The differences between the catalogue and its approved state: tools, prompts, then the instructions, each by name.
 */
export function catalogueDifferences(
  catalogue: ServerCatalogue,
  { pins, definitions }: Approved,
): readonly ItemDifference[] {
  const compare = (
    what: ItemDifference["what"],
    pinned: ReadonlyMap<string, string>,
    present: ReadonlyMap<string, Params>,
  ): readonly ItemDifference[] => {
    const names = [...new Set([...pinned.keys(), ...present.keys()])].sort();
    return names.flatMap((name) => {
      const definition = present.get(name);
      const pin = pinned.get(name);
      if (definition === undefined) return [missing(what, name)];
      const hash = definitionHash(definition);
      // A hash from a lock does not prove that the user has seen hidden characters.
      if (hash === pin && (definitions.has(hash) || !hasHidden(definition))) return [];
      const before = pin === undefined ? undefined : definitions.get(pin);
      return [{ what, name, ...differing(pin, before, { hash, definition }) }];
    });
  };
  const { instructions } = catalogue;
  return [
    ...compare("tool", pins.tools, byName(catalogue.tools, approvedToolParts)),
    ...compare("prompt", pins.prompts, byName(catalogue.prompts, approvedPromptParts)),
    ...compare(
      "instructions",
      new Map(pins.instructions === undefined ? [] : [["instructions", pins.instructions]]),
      new Map(
        instructions === undefined ? [] : [["instructions", approvedInstructions(instructions)]],
      ),
    ),
  ];
}

function missing(what: ItemDifference["what"], name: string): ItemDifference {
  return { what, name, state: "missing", hasHidden: false, differences: [] };
}

function differing(
  pin: string | undefined,
  before: Params | undefined,
  present: NonNullable<ItemDifference["present"]>,
): Omit<ItemDifference, "what" | "name"> {
  const isComparable = pin === undefined || before !== undefined;
  return {
    state: pin === undefined ? "new" : "changed",
    hasHidden: hasHidden(present.definition),
    differences: isComparable ? differencesOf(before, present.definition) : [],
    present,
  };
}

function byName<Item extends Params & { readonly name: string }>(
  items: readonly Item[],
  partsOf: (item: Item) => Params,
): ReadonlyMap<string, Params> {
  return new Map(items.map((item) => [item.name, partsOf(item)]));
}
