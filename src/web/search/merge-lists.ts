import type { EngineList, ListedPage } from "./engine-list.ts";
import { compareTexts } from "./page-key.ts";

/** A page where one engine ranks it. */
export interface Sighting {
  readonly list: EngineList;
  readonly page: ListedPage;
}

/** One page, with its best place in each list; in the fixed order of engines. */
export type SeenPage = readonly Sighting[];

/**
 * Brings the places of each page in all lists together. Of an engine that has a page twice, the first place is used.
 * The result does not depend on the order of `lists`.
 */
export function mergeLists(lists: readonly EngineList[]): SeenPage[] {
  const sightings = lists
    .toSorted((a, b) => a.order - b.order)
    .flatMap((list) => list.pages.map((page): Sighting => ({ list, page })));
  const byKey = Map.groupBy(sightings, ({ page }) => page.key);
  const keys = [...byKey.keys()].sort(compareTexts);
  const families = Map.groupBy(keys, (key) => key.toLowerCase());
  return [...families.values()].flatMap((family) =>
    joinByTitle(family.map((key) => byKey.get(key) ?? [])).map(firstOfEachEngine),
  );
}

/** Keys that differ in case only are one page when a title of theirs is the same, whatever its case. */
function joinByTitle(variants: readonly (readonly Sighting[])[]): Sighting[][] {
  const groups: { readonly titles: Set<string>; readonly sightings: Sighting[] }[] = [];
  for (const sightings of variants) {
    const titles = new Set(sightings.map(({ page }) => page.title.toLowerCase()));
    const joined = groups.filter((group) => !group.titles.isDisjointFrom(titles));
    const rest = groups.filter((group) => !joined.includes(group));
    const group = {
      titles: new Set([...titles, ...joined.flatMap((one) => [...one.titles])]),
      sightings: [...joined.flatMap((one) => one.sightings), ...sightings],
    };
    groups.splice(0, groups.length, ...rest, group);
  }
  return groups.map((group) => group.sightings);
}

function firstOfEachEngine(sightings: readonly Sighting[]): SeenPage {
  const byPlace = sightings.toSorted(
    (a, b) => a.list.order - b.list.order || a.page.position - b.page.position,
  );
  return byPlace.filter(({ list }, index) => byPlace[index - 1]?.list !== list);
}
