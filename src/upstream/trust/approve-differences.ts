import type { Params } from "../../protocol/json-rpc.ts";
import type { ServerCatalogue } from "../connect/connection.ts";
import {
  approvedInstructions,
  approvedPromptParts,
  approvedToolParts,
  differencesOf,
  type FieldDifference,
  instructionsHash,
  promptHash,
  toolHash,
} from "./difference.ts";
import { hasHidden } from "./hidden-characters.ts";
import { emptyPins, type ToolPins } from "./trust-file.ts";
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

/** One thing that a server offers otherwise than it was approved. */
export interface ItemDifference {
  readonly what: "tool" | "prompt" | "instructions";
  /** Of a tool or prompt; `instructions` else. */
  readonly name: string;
  readonly state: "changed" | "new" | "missing";
  /** It has characters that nobody sees; they are escaped in `differences`. */
  readonly hasHidden: boolean;
  /** Empty where what was approved is not known any more, and for what is missing. */
  readonly differences: readonly FieldDifference[];
  /** As it is now; absent for what is missing. */
  readonly present?: { readonly hash: string; readonly definition: Params };
}

interface Approved {
  readonly pins: ToolPins;
  readonly definitions: ReadonlyMap<string, Params>;
}

/** How the catalogue differs from what was approved: tools, prompts, then the instructions, each by name. */
export function catalogueDifferences(
  catalogue: ServerCatalogue,
  { pins, definitions }: Approved,
): readonly ItemDifference[] {
  const compare = (
    what: ItemDifference["what"],
    pinned: ReadonlyMap<string, string>,
    present: ReadonlyMap<string, Params>,
    hashOf: (definition: Params) => string,
  ): readonly ItemDifference[] => {
    const names = [...new Set([...pinned.keys(), ...present.keys()])].sort();
    return names.flatMap((name) => {
      const definition = present.get(name);
      const pin = pinned.get(name);
      if (definition === undefined) return [missing(what, name)];
      const hash = hashOf(definition);
      // A hash of a lock says nothing of what can be seen of it.
      if (hash === pin && (definitions.has(hash) || !hasHidden(definition))) return [];
      const before = pin === undefined ? undefined : definitions.get(pin);
      return [{ what, name, ...differing(pin, before, { hash, definition }) }];
    });
  };
  const { instructions } = catalogue;
  return [
    ...compare("tool", pins.tools, byName(catalogue.tools, approvedToolParts), toolHash),
    ...compare("prompt", pins.prompts, byName(catalogue.prompts, approvedPromptParts), promptHash),
    ...compare(
      "instructions",
      new Map(pins.instructions === undefined ? [] : [["instructions", pins.instructions]]),
      new Map(
        instructions === undefined ? [] : [["instructions", approvedInstructions(instructions)]],
      ),
      () => instructionsHash(instructions ?? ""),
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

/** What came of asking a server for all that it offers, once. */
export type AskedCatalogue =
  | {
      readonly kind: "catalogue";
      readonly catalogue: ServerCatalogue;
      /** What a login was granted; absent for a server without one. */
      readonly scopes?: readonly string[];
    }
  /** `reason` is a sentence: what happened and what to do. */
  | { readonly kind: "unreachable"; readonly reason: string };
