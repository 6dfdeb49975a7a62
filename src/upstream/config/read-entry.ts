import type { EntryOrigin, ServerEntry } from "./server-entry.ts";
import { EntryFault } from "./entry-fault.ts";
import type { EntryNotes } from "./entry-fault.ts";
import { readLaunch } from "./entry-launch.ts";
import { readOptions } from "./entry-options.ts";
import { isTable } from "./json-shapes.ts";
import type { RawEntry } from "./json-shapes.ts";
import { narrowOptions, warnOfRights } from "./narrow-entry.ts";
import { OptionReader } from "./option-reader.ts";

/** Names that every object of the language knows. */
const reservedNames = ["__proto__", "constructor", "prototype"];

/** True for what may be the name of a server (CF12). */
function isServerName(name: unknown): name is string {
  return (
    typeof name === "string" &&
    /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/.test(name) &&
    !reservedNames.includes(name)
  );
}

/**
 * One entry, checked, with the defaults filled in and, for a project's, without what would widen rights.
 * @throws EntryFault when it cannot be used
 */
export function readEntry(raw: RawEntry, origin: EntryOrigin, notes: EntryNotes): ServerEntry {
  const { name, value } = raw;
  if (reservedNames.some((reserved) => reserved === name))
    throw new EntryFault("has a reserved name");
  if (!isServerName(name)) {
    throw new EntryFault(
      "needs a name of 1 to 64 letters, digits, _ . -, beginning with a letter or digit",
    );
  }
  if (!isTable(value)) throw new EntryFault("is no table of settings");
  const reader = new OptionReader(value, notes);
  const isEnabled = readSwitch(reader);
  const launch = readLaunch(value, notes, !isEnabled);
  const options = readOptions(reader);
  if (origin.trust === "user") return { name, isEnabled, launch, options, origin };
  warnOfRights(launch, notes);
  return { name, isEnabled, launch, options: narrowOptions(options, value, notes), origin };
}

/** `disabled: true` is what other clients write for `enabled: false`. */
function readSwitch(reader: OptionReader): boolean {
  return (
    reader.right("enabled", [true, false], true) && !reader.right("disabled", [true, false], false)
  );
}
