import { exitCodes } from "../../src/cli/command-io.ts";
import type { Command, CommandListing } from "../../src/cli/command.ts";
import { everyFlag, type FlagTable, startUpFlags } from "../../src/cli/flags.ts";
import { commandListings } from "../../src/cli/run/registry.ts";

const name = "scorpiox-code";

/** `scorpiox-code.1`: commands and flags from the registry that help is made from too. */
export async function manPage(version: string): Promise<string> {
  const commands = await Promise.all(
    commandListings.map(async (listing) => commandSection(listing, await listing.load())),
  );
  return [
    `.TH SCORPIOX-CODE 1 "" "${name} ${roff(version)}" "User Commands"`,
    // No text is broken at a hyphen, which belongs to flags and paths here.
    ".nh",
    ".ad l",
    ".SH NAME",
    `${roff(name)} \\- working tools for AI clients over the Model Context Protocol`,
    ".SH SYNOPSIS",
    `.B ${roff(name)}`,
    "[\\fICOMMAND\\fR] [\\fIFLAGS\\fR]",
    ".SH DESCRIPTION",
    roff("AI clients start it without a command and talk to it over stdin and stdout."),
    roff("In a terminal, a command does its work and ends."),
    ".SH COMMON FLAGS",
    roff(
      "Every command has --verbose and --help; the others belong to the commands that name them.",
    ),
    ...items(flagItems(commonFlags)),
    ".SH COMMANDS",
    ...commands,
    ".SH FILES",
    ...items(files),
    ".SH ENVIRONMENT",
    ...items(variables),
    ".SH EXIT STATUS",
    ...items(Object.entries(exitCodes).map(([key, code]) => [String(code), exitTexts[key] ?? ""])),
    "",
  ].join("\n");
}

const exitTexts: Readonly<Record<string, string>> = {
  done: "Done.",
  failed: "The operation failed.",
  usage: "Wrong usage.",
  notFound: "Not found, or nothing to do.",
  needsApproval: "Needs approval or a login.",
  changed: "Of commands that compare: something was changed.",
  missing: "Of commands that compare: something is missing or new.",
  unreachable: "Of commands that compare: a server cannot be reached.",
  interrupted: "Ended by Ctrl-C.",
} satisfies Readonly<Record<keyof typeof exitCodes, string>>;

const files: readonly (readonly [string, string])[] = [
  ["~/.scorpiox/", "Everything that it keeps, and the configuration of the user."],
  ["~/.scorpiox/scorpiox-env.txt", "Keys of the configuration, as KEY=VALUE lines."],
  ["~/.scorpiox/mcp_servers.json", "MCP servers of the user."],
  ["~/.scorpiox/policy.jsonc", "Rules for calls."],
  [".scorpiox/", "The same for one project. It can restrict what the user allows, not extend it."],
];

const variables: readonly (readonly [string, string])[] = [
  ["SCORPIOX_HOME", "The folder to use instead of ~/.scorpiox."],
  ["SCORPIOX_KEY", `The value of the configuration key KEY. ${name} config list shows all keys.`],
  ["SCORPIOX_RELEASE_URL", "The folder from which update gets a release."],
  ["NO_COLOR", "Set: no colours."],
  ["FORCE_COLOR", "Set: colours also where there is no terminal; 0: none."],
];

function commandSection(listing: CommandListing, command: Command): string {
  const { flags, usage, description, needsPerson, examples = [] } = command;
  const common = Object.keys(startUpFlags)
    .filter((flag) => flags[flag] === startUpFlags[flag])
    .map((flag) => `--${flag}`);
  const person = needsPerson
    ? ["A process that a server started may not run this: a person has to."]
    : [];
  return [
    `.SS ${roff([listing.name, usage].filter(Boolean).join(" "))}`,
    ...paragraphs([`${listing.summary}.`, description, ...person].join("\n")),
    ...(examples.length === 0 ? [] : [".PP", "Examples:"]),
    ...examples.flatMap((example) => [".br", roff(`    ${name} ${example}`)]),
    ...items(flagItems(ownFlags(flags))),
    ...(common.length === 0 ? [] : [".PP", roff(`Common flags: ${common.join(", ")}.`)]),
  ].join("\n");
}

const commonFlags: FlagTable = { ...startUpFlags, ...everyFlag };

/** Those that the section of common flags does not explain. */
function ownFlags(flags: FlagTable): FlagTable {
  return Object.fromEntries(
    Object.entries(flags).filter(([name, spec]) => commonFlags[name] !== spec),
  );
}

/** Lines that begin with a blank keep their breaks, as help prints them. */
function paragraphs(text: string): readonly string[] {
  return text
    .split("\n")
    .flatMap((line) => (line.startsWith(" ") ? [".br", roff(line.trimStart())] : [roff(line)]));
}

function flagItems(flags: FlagTable): readonly (readonly [string, string])[] {
  return Object.entries(flags).map(([flag, spec]) => {
    const value = spec.choices?.join("|") ?? spec.placeholder ?? "VALUE";
    const written = spec.short === undefined ? `--${flag}` : `-${spec.short}, --${flag}`;
    return [spec.kind === "switch" ? written : `${written} ${value}`, spec.help];
  });
}

function items(rows: readonly (readonly [string, string])[]): readonly string[] {
  return rows.flatMap(([term, text]) => [".TP", `\\fB${roff(term)}\\fR`, roff(text)]);
}

/** Text as roff shows it: no backslash, dash or quote means something, and no line begins a request. */
function roff(text: string): string {
  return (
    text
      .replaceAll("\\", "\\e")
      .replaceAll("-", "\\-")
      .replaceAll("~", "\\(ti")
      .replaceAll("^", "\\(ha")
      .replaceAll("`", "\\(ga")
      // A long list of values may be broken between two of them.
      .replaceAll(/(?<=\w)[|,](?=\w)/g, "$&\\:")
      .replaceAll(/[^\0-\u007f]/gu, (character) => {
        const code = character.codePointAt(0)?.toString(16).toUpperCase() ?? "";
        return `\\[u${code.padStart(4, "0")}]`;
      })
      .replaceAll(/^(?=[.'])/gm, "\\&")
  );
}
