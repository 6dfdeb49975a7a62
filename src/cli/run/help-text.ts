import { product } from "../../base/product.ts";
import type { Command, CommandListing } from "../command.ts";
import { type FlagTable, helpFlag } from "../flags.ts";
import { columns } from "../print.ts";

/** The output of `help` without a command. */
export function overviewText(version: string, listings: readonly CommandListing[]): string {
  const commands = listings.map(({ name, summary }) => [name, summary] as const);
  return [
    `${product.name} ${version}: working tools for AI clients, over the Model Context Protocol.`,
    "",
    `Usage: ${product.name} [COMMAND] [FLAGS]`,
    "",
    "AI clients start it without a command and talk to it over stdin and stdout.",
    "",
    "Commands:",
    ...columns(commands),
    "",
    `Flags of a command: ${product.name} help COMMAND`,
  ].join("\n");
}

/** The output of `help <command>`. */
export function commandText(listing: CommandListing, command: Command): string {
  const usage = [product.name, listing.name, command.usage].filter(Boolean).join(" ");
  const flags = flagRows({ ...command.flags, ...helpFlag });
  const person = command.needsPerson ? ["", needsPersonText] : [];
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

const needsPersonText = "A process that a server started may not run this: a person has to.";

/** The output of a group without a command, for instance `config`. */
export function groupText(group: string, listings: readonly CommandListing[]): string {
  const commands = listings
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
