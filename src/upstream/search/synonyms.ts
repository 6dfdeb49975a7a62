import { looseGroups, strongGroups } from "./synonym-groups.ts";
import { stem } from "./words.ts";

/** Phrases, and words in the names of tools that do this. */
const turnsOfPhrase: readonly (readonly [phrase: string, meaning: string])[] = [
  ["pull request", "merge pr"],
  ["merge request", "pull pr"],
  ["get rid", "delete remove drop"],
  ["throw away", "delete remove discard"],
  ["take down", "delete stop"],
  ["shut down", "stop kill terminate"],
  ["look up", "search get find"],
  ["look for", "search find"],
  ["find out", "search get"],
  ["set up", "create configure setup"],
  ["sum up", "aggregate total sum"],
  ["fill out", "fill form"],
  ["fill in", "fill form"],
  ["roll back", "rollout rollback undo revert"],
  ["bring up", "update start"],
  ["up to date", "update sync"],
  ["step by step", "sequential step"],
  ["how many", "count number total"],
  ["how much", "size count amount"],
  ["how big", "size info"],
  ["how do", "directions query docs"],
  ["how high", "elevation altitude"],
  ["how far", "distance"],
  ["who am", "self me user"],
  ["who is", "users get list"],
  ["what is", "get list describe explain"],
  ["what are", "list get"],
  ["what was", "get history list"],
  ["what did", "get list history"],
  ["what does", "get explain describe"],
  ["are there", "list get"],
  ["is there", "list get search"],
  ["sign in", "login auth"],
  ["log in", "login auth"],
  ["thumbs up", "reaction emoji"],
  ["at once", "multiple batch many"],
  ["in one go", "multiple batch many"],
  ["write down", "create add write"],
  ["turn off", "disable stop"],
  ["turn on", "enable start"],
  ["put in", "insert add"],
  ["tell me", "get monitor notify"],
  ["stop watching", "delete remove unsubscribe"],
  ["opening hours", "place details"],
];

/** Weights of synonyms, relative to the word itself. */
const synonymWeights = { strong: 0.8, loose: 0.5 } as const;

/** The synonyms of a term with their weights, without the term itself. */
export function synonymsOf(term: string): ReadonlyMap<string, number> {
  return table.get(term) ?? none;
}

/** The synonyms of two or three consecutive words, unstemmed. */
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

/** Makes all terms of a group synonyms of each other; the highest weight is kept. */
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
