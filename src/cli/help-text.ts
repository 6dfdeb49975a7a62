import { escapeName } from "../base/unsafe-characters.ts";
import { product } from "../base/product.ts";
import type { Command } from "./command.ts";
import { helpFlag } from "./flags.ts";
import type { FlagTable } from "./flags.ts";
import { commandListings } from "./registry.ts";
import type { CommandListing } from "./command-listing.ts";

/** What `help` without a command prints. */
export function overviewText(version: string): string {
  const commands = commandListings.map(({ name, summary }) => [name, summary] as const);
  return [
    `${product.name} ${version}: working tools for AI clients, over the Model Context Protocol.`,
    "",
    `Usage: ${product.name} [COMMAND] [FLAGS]`,
    "",
    "An AI client starts it without a command and talks to it over stdin and stdout.",
    "",
    "Commands:",
    ...columns(commands),
    "",
    `Flags of a command: ${product.name} help COMMAND`,
  ].join("\n");
}

/** What `help <command>` prints. */
export function commandText(listing: CommandListing, command: Command): string {
  const usage = [product.name, listing.name, command.usage].filter(Boolean).join(" ");
  const flags = flagRows({ ...command.flags, ...helpFlag });
  const person = command.needsPerson === true ? ["", needsPersonText] : [];
  return [
    `Usage: ${usage}`,
    "",
    command.description,
    ...person,
    "",
    "Flags:",
    ...columns(flags),
  ].join("\n");
}

const needsPersonText = "Refused to what a server has started: a person has to run it.";

/** What a group without a command prints, for instance `config`. */
export function groupText(group: string): string {
  const commands = commandListings
    .filter((listing) => listing.name.startsWith(`${group} `))
    .map(({ name, summary }) => [name, summary] as const);
  return [`Usage: ${product.name} ${group} COMMAND`, "", "Commands:", ...columns(commands)].join(
    "\n",
  );
}

function flagRows(flags: FlagTable): (readonly [string, string])[] {
  return Object.entries(flags).map(([name, spec]) => {
    const value = spec.choices?.join("|") ?? spec.placeholder;
    const written = spec.short === undefined ? `--${name}` : `-${spec.short}, --${name}`;
    return [spec.kind === "switch" ? written : `${written} ${value ?? "VALUE"}`, spec.help];
  });
}

/** A table, indented; the last column is as wide as each of its texts. A row is one line, whatever is in it. */
export function columns(table: readonly (readonly string[])[]): string[] {
  const rows = table.map((row) => row.map(escapeName));
  const widthOf = (column: number): number =>
    Math.max(0, ...rows.map((row) => (column < row.length - 1 ? (row[column] ?? "").length : 0)));
  const widths = (rows[0] ?? []).map((_, column) => widthOf(column));
  return rows.map((row) => `  ${row.map((text, at) => text.padEnd(widths[at] ?? 0)).join("  ")}`);
}
