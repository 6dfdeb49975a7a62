import { looseGroups, strongGroups } from "./synonym-groups.ts";
import { stem } from "./stem.ts";
import { turnsOfPhrase } from "./turns-of-phrase.ts";

/** What a word that means the same is worth beside the word itself. */
const synonymWeights = { strong: 0.8, loose: 0.5 } as const;

/** Terms that may be meant by a term, with what each is worth; not the term itself. */
export function synonymsOf(term: string): ReadonlyMap<string, number> {
  return table.get(term) ?? none;
}

/** The same for two or three words in a row, as they are written. */
export function phraseMeaning(words: readonly string[]): ReadonlyMap<string, number> {
  return phraseTable.get(words.join(" ")) ?? none;
}

const none: ReadonlyMap<string, number> = new Map();

const table: ReadonlyMap<string, ReadonlyMap<string, number>> = tableOf();

const phraseTable: ReadonlyMap<string, ReadonlyMap<string, number>> = new Map(
  turnsOfPhrase.map(([phrase, meaning]) => {
    const terms = meaning.split(" ").map((word) => [stem(word), synonymWeights.strong] as const);
    return [phrase, new Map(terms)];
  }),
);

function tableOf(): ReadonlyMap<string, ReadonlyMap<string, number>> {
  const all = new Map<string, Map<string, number>>();
  const add = (groups: readonly string[], weight: number): void => {
    for (const group of groups) addGroup(all, group.split(" ").map(stem), weight);
  };
  add(strongGroups, synonymWeights.strong);
  add(looseGroups, synonymWeights.loose);
  return all;
}

/** Each term of a group is a synonym of each other one; what it is worth already it does not lose. */
function addGroup(
  all: Map<string, Map<string, number>>,
  terms: readonly string[],
  weight: number,
): void {
  for (const term of terms) {
    const synonyms = all.get(term) ?? new Map<string, number>();
    all.set(term, synonyms);
    for (const other of terms) {
      if (other !== term) synonyms.set(other, Math.max(weight, synonyms.get(other) ?? 0));
    }
  }
}
