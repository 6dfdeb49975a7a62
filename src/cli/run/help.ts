import { AppError } from "../../base/errors.ts";
import { product } from "../../base/product.ts";
import { suggestionFor } from "../../config/nearest-name.ts";
import { type CommandIo, exitCodes } from "../command-io.ts";
import type { Command, CommandListing, KnownCommands } from "../command.ts";
import { everyFlag, type FlagTable, startUpFlags } from "../flags.ts";
import { wrap } from "../wrap.ts";

export function createHelp(known: KnownCommands): Command {
  return {
    usage: "[COMMAND]",
    description: "Explains a command, or lists them all.",
    flags: {},
    arguments: { min: 0, max: 2 },
    needsPerson: false,
    async run({ args, io, print, services }) {
      print.page(await helpText(args.positionals, services.version, known, helpWidth(io)));
      return exitCodes.done;
    },
  };
}

async function helpText(
  words: readonly string[],
  version: string,
  { listings, groups, find }: KnownCommands,
  width: number,
): Promise<string> {
  const [first] = words;
  if (first === undefined) return overviewText(version, listings, width);
  if (words.length === 1 && first === "flags") return commonFlagsText(width);
  const listing = find(words);
  if (words.length === 1 && listing === undefined && groups().has(first)) {
    return groupText(first, listings, width);
  }
  const name = words.join(" ");
  if (listing === undefined) {
    const names = listings.map((known) => known.name);
    throw new AppError("usage", `There is no command ${name}.${suggestionFor(name, names)}`);
  }
  return commandText(listing, await listing.load(), width);
}

/**
 * The help for a group of commands: for words that name no command.
 * @throws AppError `usage` unless they ask for it
 */
export function groupHelp(
  words: readonly string[],
  { listings, groups }: KnownCommands,
  width: number,
): string {
  const [first = "", second] = words;
  const names = listings.map((listing) => listing.name);
  if (!groups().has(first)) throw unknownCommand(first, [...names, ...groups()]);
  if (second === "--help" || second === "-h") return groupText(first, listings, width);
  if (second === undefined || second.startsWith("-")) {
    const inGroup = names.filter((known) => known.startsWith(`${first} `)).join(", ");
    throw new AppError("usage", `${first} is incomplete. Commands: ${inGroup}`);
  }
  throw unknownCommand(`${first} ${second}`, names);
}

function unknownCommand(name: string, candidates: readonly string[]): AppError {
  const suggestion = suggestionFor(name, candidates);
  return new AppError(
    "usage",
    `There is no command ${name}.${suggestion} See: ${product.name} help`,
  );
}

/** Groups of the overview, by the first words of their commands. */
const sections: readonly (readonly [title: string, words: readonly string[]])[] = [
  ["Begin", ["install", "uninstall", "undo", "update", "doctor"]],
  ["Your MCP servers", ["mcp"]],
  ["The tools in this terminal", ["tools", "call", "extract", "search"]],
  ["Running work", ["attach", "hub", "bg", "callbacks", "tasks"]],
  ["Settings and rules", ["config", "profile", "policy", "hooks", "skills", "token"]],
  ["More", ["serve", "completions", "version", "help"]],
];

/** The subjects of groups. */
const groupTexts: Readonly<Record<string, string>> = {
  mcp: "MCP servers behind scorpiox-code",
  hub: "The process that all of your clients share",
  bg: "Background tasks of running servers",
  callbacks: "Reminders that models have set",
  tasks: "Tasks of the workspace",
  config: "Configuration keys",
  profile: "Sets of configuration keys",
  policy: "Rules for calls",
  token: "Tokens of clients over HTTP",
  hooks: "Programs that run at events",
  skills: "Instructions that models load",
};

/** Lines of help are no longer than this, however wide the terminal is. */
const widthMax = 100;

/** Characters in a line of help for this output. */
export function helpWidth({ stdout }: Pick<CommandIo, "stdout">): number {
  return Math.min(widthMax, stdout.columns ?? widthMax);
}

/** The output of `help` without a command. */
export function overviewText(
  version: string,
  listings: readonly CommandListing[],
  width: number,
): string {
  const listed = sections.map(([title, words]): Row[] => {
    const rows = words.flatMap((word) => rowOf(word, listings));
    return rows.length === 0 ? [] : [[title, undefined], ...rows];
  });
  const known = new Set(sections.flatMap(([, words]) => words));
  const others = [...new Set(listings.map(({ name }) => firstWord(name)))]
    .filter((word) => !known.has(word))
    .flatMap((word) => rowOf(word, listings));
  const rows = [...listed.flat(), ...others];
  const wide = Math.max(...rows.map(([name, text]) => (text === undefined ? 0 : name.length)));
  return [
    ...wrap(
      `${product.name} ${version}: working tools for AI clients, over the Model Context Protocol.`,
      width,
    ),
    "",
    `Usage: ${product.name} [COMMAND] [FLAGS]`,
    "",
    ...wrap("AI clients start it without a command and talk to it over stdin and stdout.", width),
    ...rows.flatMap(([name, text]) =>
      text === undefined ? ["", `${name}:`] : tableRow(name, text, wide, width),
    ),
    "",
    ...wrap(`More about a command or a group: ${product.name} help COMMAND`, width),
  ].join("\n");
}

/** A heading has no text. */
type Row = readonly [name: string, text: string | undefined];

/** A command, or a group with the second words of its commands. */
function rowOf(word: string, listings: readonly CommandListing[]): Row[] {
  const own = listings.find(({ name }) => name === word);
  const inGroup = listings.flatMap(({ name }) =>
    name.startsWith(`${word} `) ? [name.slice(word.length + 1)] : [],
  );
  const members = inGroup.join(", ");
  if (own === undefined) {
    const about = groupTexts[word];
    if (inGroup.length === 0) return [];
    return [[word, about === undefined ? members : `${about}: ${members}`]];
  }
  return [[word, inGroup.length === 0 ? own.summary : `${own.summary}; or only: ${members}`]];
}

function firstWord(name: string): string {
  return name.split(" ", 1)[0] ?? "";
}

/** The output of `help <command>`. */
export function commandText(listing: CommandListing, command: Command, width: number): string {
  const usage = [product.name, listing.name, command.usage].filter(Boolean).join(" ");
  const all = Object.entries({ ...command.flags, ...everyFlag });
  const common = all.filter(([name, spec]) => commonFlags[name] === spec);
  const own = all.filter(([name, spec]) => commonFlags[name] !== spec);
  const { examples = [] } = command;
  return [
    ...wrap(`Usage: ${usage}`, width, "    "),
    ...(examples.length === 0 ? [] : ["", "Examples:"]),
    ...examples.map((example) => `  ${product.name} ${example}`),
    "",
    ...paragraphs(command.description, width),
    ...(command.needsPerson ? ["", ...wrap(needsPersonText, width)] : []),
    "",
    ...(own.length === 0 ? [] : ["Flags:", ...flagLines(Object.fromEntries(own), width), ""]),
    ...wrap(
      `Common flags (${product.name} help flags): ${common.map(([name]) => `--${name}`).join(", ")}`,
      width,
      "    ",
    ),
  ].join("\n");
}

const needsPersonText = "A process that a server started may not run this: a person has to.";

/** The flags that most commands take, which their help only names. */
const commonFlags: FlagTable = { ...startUpFlags, ...everyFlag };

/** The output of `help flags`. */
export function commonFlagsText(width: number): string {
  return ["Flags that most commands take:", ...flagLines(commonFlags, width)].join("\n");
}

/** The output of a group without a command, for instance `config`. */
export function groupText(
  group: string,
  listings: readonly CommandListing[],
  width: number,
): string {
  const commands = listings.filter((listing) => listing.name.startsWith(`${group} `));
  const wide = Math.max(...commands.map(({ name }) => name.length));
  const about = groupTexts[group];
  return [
    `Usage: ${product.name} ${group} COMMAND`,
    "",
    ...(about === undefined ? [] : [`${about}.`, ""]),
    "Commands:",
    ...commands.flatMap(({ name, summary }) => tableRow(name, summary, wide, width)),
  ].join("\n");
}

function flagLines(flags: FlagTable, width: number): readonly string[] {
  const rows = Object.entries(flags).map(([name, spec]) => {
    const value = spec.choices?.join("|") ?? spec.placeholder;
    const written = spec.short === undefined ? `--${name}` : `-${spec.short}, --${name}`;
    return [
      spec.kind === "switch" ? written : `${written} ${value ?? "VALUE"}`,
      spec.help,
    ] as const;
  });
  const wide = Math.max(...rows.map(([written]) => written.length));
  return rows.flatMap(([written, help]) => tableRow(written, help, wide, width));
}

/** A row of a table; where its second column would be too narrow, the text is below its name. */
function tableRow(name: string, text: string, wide: number, width: number): readonly string[] {
  const room = width - wide - 4;
  if (room < width / 2.5)
    return [`  ${name}`, ...wrap(text, width - 6).map((line) => `      ${line}`)];
  const [first = "", ...rest] = wrap(text, room);
  return [
    `  ${name.padEnd(wide)}  ${first}`,
    ...rest.map((line) => `${" ".repeat(wide + 4)}${line}`),
  ];
}

/** Lines that begin with a blank are kept; others are joined and broken again. */
function paragraphs(text: string, width: number): readonly string[] {
  const blocks: string[] = [];
  for (const line of text.split("\n")) {
    const last = blocks.at(-1);
    if (line.startsWith(" ") || last === undefined || last.startsWith(" ")) blocks.push(line);
    else blocks[blocks.length - 1] = `${last} ${line}`;
  }
  return blocks.flatMap((block) => (block.startsWith(" ") ? [block] : wrap(block, width)));
}
