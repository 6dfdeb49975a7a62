import type { CommandContext, CommandListing, KnownCommands } from "../command.ts";
import { everyFlag, type FlagTable, nameOf } from "../flags.ts";
import { type Candidate, valuesOf, valuesOfFlag } from "./values.ts";

/** The candidates, and whether a path may follow as well. */
export interface Completion {
  readonly candidates: readonly Candidate[];
  readonly takesFiles: boolean;
}

const nothing: Completion = { candidates: [], takesFiles: false };

/**
 * Completes a command line.
 * @param words behind the program's name; the last one is the word at the cursor, empty when none has begun. Shells that break
 * words at `=` give `--flag`, `=`, `value`
 */
export async function complete(
  words: readonly string[],
  known: KnownCommands,
  context: CommandContext,
): Promise<Completion> {
  const current = words.at(-1) ?? "";
  const before = words.slice(0, -1);
  const listing = known.find(before);
  if (listing === undefined || isInName(listing, before))
    return commandNames(before, current, known);
  const behind = before.slice(listing.name.split(" ").length);
  if (listing.name === "help") return commandNames(behind, current, known);
  return argumentsOf(listing, behind, current, context);
}

/** Only the first of two words is there. */
function isInName({ name }: CommandListing, before: readonly string[]): boolean {
  return before.length < name.split(" ").length;
}

async function commandNames(
  before: readonly string[],
  current: string,
  { listings, groups }: KnownCommands,
): Promise<Completion> {
  if (before.length > 1) return nothing;
  const [first] = before;
  if (first !== undefined) {
    const inGroup = listings.filter(({ name }) => name.startsWith(`${first} `));
    return startingWith(
      current,
      inGroup.map(({ name, summary }) => ({ value: name.split(" ")[1] ?? "", help: summary })),
    );
  }
  const single = listings
    .filter(({ name }) => !name.includes(" "))
    .map(({ name, summary }) => ({ value: name, help: summary }));
  const grouped = [...groups()]
    .filter((group) => !single.some(({ value }) => value === group))
    .map((group) => ({ value: group, help: membersOf(group, listings) }));
  if (!current.startsWith("-")) return startingWith(current, [...single, ...grouped]);
  const serve = await listings.find(({ name }) => name === "serve")?.load();
  return startingWith(current, flagsOf(serve?.flags ?? {}, []));
}

function membersOf(group: string, listings: readonly CommandListing[]): string {
  const names = listings.flatMap(({ name }) =>
    name.startsWith(`${group} `) ? [name.slice(group.length + 1)] : [],
  );
  return names.join(", ");
}

async function argumentsOf(
  listing: CommandListing,
  before: readonly string[],
  current: string,
  context: CommandContext,
): Promise<Completion> {
  if (before.includes("--")) return { candidates: [], takesFiles: true };
  const { flags, arguments: count } = await listing.load();
  const [written, value] = /^(--[\w-]+)=(.*)$/s.exec(current)?.slice(1) ?? [];
  if (written !== undefined) {
    const { candidates, takesFiles } = await flagValues(
      listing,
      flags,
      written,
      value ?? "",
      context,
    );
    return {
      candidates: candidates.map((one) => ({ ...one, value: `${written}=${one.value}` })),
      takesFiles,
    };
  }
  const isBroken = before.at(-1) === "=" || current === "=";
  const flag = current === "=" ? before.at(-1) : before.at(isBroken ? -2 : -1);
  if (flag !== undefined && wantsValue(flags, flag, current)) {
    return flagValues(listing, flags, flag, current === "=" ? "" : current, context);
  }
  if (current.startsWith("-")) return startingWith(current, flagsOf(flags, before));
  const positionals = positionalsIn(before, flags);
  if (positionals.length >= count.max) return nothing;
  const values = await valuesOf(listing.name, positionals, context);
  return values === undefined
    ? { candidates: [], takesFiles: true }
    : startingWith(current, values);
}

/** The arguments among the words, without flags and their values. */
function positionalsIn(before: readonly string[], flags: FlagTable): readonly string[] {
  return before.filter((word, index) => {
    const previous = before[index - 1] ?? "";
    return (
      !word.startsWith("-") && word !== "=" && previous !== "=" && !takesValue(flags, previous)
    );
  });
}

function takesValue(flags: FlagTable, written: string): boolean {
  const name = nameOf(written, flags);
  return name !== undefined && flags[name]?.kind !== "switch";
}

/** The word at the cursor is the value of the flag before it: it does not begin another one where the flag may be bare. */
function wantsValue(flags: FlagTable, written: string, current: string): boolean {
  const isBare = current.startsWith("-") && flags[nameOf(written, flags) ?? ""]?.mayBeBare === true;
  return takesValue(flags, written) && !isBare;
}

async function flagValues(
  { name: command }: CommandListing,
  flags: FlagTable,
  written: string,
  current: string,
  context: CommandContext,
): Promise<Completion> {
  const flag = nameOf(written, flags) ?? "";
  const choices = flags[flag]?.choices?.map((value) => ({ value, help: "" }));
  const values = choices ?? (await valuesOfFlag(command, flag, context));
  return values === undefined
    ? { candidates: [], takesFiles: true }
    : startingWith(current, values);
}

/** Flags that are not there yet; lists may come again. */
function flagsOf(flags: FlagTable, before: readonly string[]): readonly Candidate[] {
  return Object.entries({ ...flags, ...everyFlag })
    .filter(([name, { kind, short }]) => {
      const isThere =
        before.includes(`--${name}`) || (short !== undefined && before.includes(`-${short}`));
      return kind === "list" || !isThere;
    })
    .map(([name, { help }]) => ({ value: `--${name}`, help: firstSentence(help) }));
}

function startingWith(current: string, candidates: readonly Candidate[]): Completion {
  const fitting = candidates.filter(({ value }) => value.startsWith(current));
  return {
    candidates: fitting.map(({ value, help }) => ({ value, help: firstSentence(help) })),
    takesFiles: false,
  };
}

function firstSentence(text: string): string {
  const [line = ""] = text.split("\n", 1);
  return line.replace(/(?<=\.)\s.*$/, "").replace(/\.$/, "");
}
