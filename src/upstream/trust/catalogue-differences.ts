import type { Params } from "../../protocol/json-rpc.ts";
import type { ServerCatalogue } from "../connect/server-catalogue.ts";
import {
  approvedInstructions,
  approvedPromptParts,
  approvedToolParts,
  instructionsHash,
  promptHash,
  toolHash,
} from "./definition-hash.ts";
import { differencesOf, type FieldDifference } from "./difference.ts";
import { hasHidden } from "./hidden-characters.ts";
import type { ToolPins } from "./trust-record.ts";

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

export interface Approved {
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
