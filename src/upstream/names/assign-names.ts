import { codedName, codeLengths, exposedName } from "./exposed-name.ts";

/** Something of another server that is called by a name. */
export interface Original {
  readonly server: string;
  /** Its name there. */
  readonly tool: string;
}

/** An original with its name here. */
interface Assigned<Item extends Original> {
  readonly item: Item;
  readonly name: string;
}

export interface Assignment<Item extends Original> {
  /** In the order in which they came. */
  readonly assigned: readonly Assigned<Item>[];
  /** Left out: no name tells them from another one. Happens to originals that no honest server has. */
  readonly nameless: readonly Item[];
}

/**
 * The names of all tools, or of all prompts, of all servers. Each is `exposedName`, unless two originals share it:
 * then both get a longer code. The order in which they come changes nothing.
 * @param max characters of a name
 */
export function assignNames<Item extends Original>(
  items: readonly Item[],
  max: number,
): Assignment<Item> {
  const { unique, repeated } = withoutRepeated(items);
  let names = unique.map(({ server, tool }) => exposedName(server, tool, max));
  for (const length of codeLengths.slice(1)) {
    const shared = sharedNames(names);
    if (shared.size === 0) break;
    names = names.map((name, index) => {
      const item = unique[index];
      return item !== undefined && shared.has(name)
        ? codedName(item.server, item.tool, max, length)
        : name;
    });
  }
  const shared = sharedNames(names);
  const assigned: Assigned<Item>[] = [];
  const nameless: Item[] = [...repeated];
  for (const [index, item] of unique.entries()) {
    const name = names[index] ?? "";
    if (shared.has(name)) nameless.push(item);
    else assigned.push({ item, name });
  }
  return { assigned, nameless };
}

/** A server that lists a tool twice means one, and nobody could say which. */
function withoutRepeated<Item extends Original>(
  items: readonly Item[],
): { readonly unique: readonly Item[]; readonly repeated: readonly Item[] } {
  const seen = new Set<string>();
  const unique: Item[] = [];
  const repeated: Item[] = [];
  for (const item of items) {
    const key = JSON.stringify([item.server, item.tool]);
    (seen.has(key) ? repeated : unique).push(item);
    seen.add(key);
  }
  return { unique, repeated };
}

function sharedNames(names: readonly string[]): ReadonlySet<string> {
  const seen = new Set<string>();
  const shared = new Set<string>();
  for (const name of names) (seen.has(name) ? shared : seen).add(name);
  return shared;
}

/**
 * Titles as they are shown: those that several tools carry have the server's name behind them (NM8).
 * @returns in the order of `items`
 */
export function distinctTitles(
  items: readonly { readonly server: string; readonly title?: string | undefined }[],
): readonly (string | undefined)[] {
  const counts = new Map<string, number>();
  for (const { title } of items) {
    if (title !== undefined) counts.set(title, (counts.get(title) ?? 0) + 1);
  }
  return items.map(({ server, title }) => {
    return title !== undefined && (counts.get(title) ?? 0) > 1 ? `${title} (${server})` : title;
  });
}
