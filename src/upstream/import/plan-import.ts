import { isObject } from "../../base/values.ts";
import { type RawEntry } from "../config/parse-server-file.ts";
import { isOwnEntry, readEntry } from "../config/read-entry.ts";
import { EntryFault, type EntryOrigin } from "../config/server-entry.ts";
import type { UpstreamConfigParts } from "../config/upstream-start.ts";
import type { NewEntry } from "../edit/server-text.ts";
import { type Dialect, foreignEntry } from "./foreign-entry.ts";

/** The planned import of one server of another client. */
export type ImportStep =
  | {
      readonly kind: "take";
      readonly name: string;
      readonly entry: NewEntry;
      /** Each completes "server "x" ". */
      readonly notes: readonly string[];
    }
  | { readonly kind: "skip"; readonly name: string; readonly reason: string };

/**
 * Decides for each server whether to import it; of two with one name, the last is used. Writes and starts nothing.
 * @param origin of the file that receives them
 */
export function planImport(
  raws: readonly RawEntry[],
  dialect: Dialect,
  origin: EntryOrigin,
  parts: UpstreamConfigParts,
): readonly ImportStep[] {
  const steps = new Map<string, ImportStep>();
  for (const raw of raws) {
    const step = planOne(raw, dialect, origin, parts);
    steps.delete(step.name);
    steps.set(step.name, step);
  }
  return [...steps.values()];
}

function planOne(
  raw: RawEntry,
  dialect: Dialect,
  origin: EntryOrigin,
  parts: UpstreamConfigParts,
): ImportStep {
  const written = typeof raw.name === "string" ? raw.name : "";
  const name = usableName(written);
  const read = foreignEntry(raw.value, dialect);
  if (read.kind === "fault") return { kind: "skip", name: written, reason: read.text };
  const { entry, left } = withoutRights(read.entry);
  const notes = [
    ...read.notes,
    ...left.map((key) => `had ${key}: it is not imported, set it yourself where you want it`),
  ];
  if (name !== written) notes.push(`is renamed to ${name}, which tool names can contain`);
  try {
    const { launch } = readEntry({ name, value: entry }, origin, {
      warn: (text) => notes.push(text),
    });
    if (isOwnEntry(launch, parts)) {
      return { kind: "skip", name: written, reason: "is this program itself" };
    }
  } catch (error) {
    if (!(error instanceof EntryFault)) throw error;
    return { kind: "skip", name: written, reason: error.message };
  }
  return { kind: "take", name, entry, notes };
}

/** scorpiox-code's settings by which a file would grant rights to its own servers. */
const rights: Readonly<Record<string, (value: unknown) => boolean>> = {
  policy: (value) => value === "allow",
  auto_approve: (value) => value !== false,
  sampling: (value) => value !== "deny",
  elicitation: (value) => value === "allow",
  roots: (value) => value !== "none",
  inherit_env: () => true,
  // Its credentials may come from a file of the user.
  oauth: (value) => isObject(value) && value["grant"] !== undefined,
};

function withoutRights(written: NewEntry): {
  readonly entry: NewEntry;
  readonly left: readonly string[];
} {
  const left = Object.keys(written).filter((key) => rights[key]?.(written[key]) === true);
  const kept = Object.entries(written).filter(([key]) => !left.includes(key));
  return { entry: Object.fromEntries(kept), left };
}

/** Other clients allow blanks and slashes in names. */
function usableName(name: string): string {
  return name
    .replaceAll(/[^A-Za-z0-9_.-]+/g, "-")
    .replace(/^[^A-Za-z0-9]+/, "")
    .replace(/-+$/, "")
    .slice(0, 64);
}
