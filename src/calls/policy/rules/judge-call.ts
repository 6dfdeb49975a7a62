import { readShell } from "../shell/read-shell.ts";
import {
  literalOf,
  type ShellKind,
  type ShellReading,
  type SimpleCommand,
} from "../shell/shell-text.ts";
import { isAboutCaller } from "./callers.ts";
import { cautionRule, cautionsAbout } from "./cautions.ts";
import {
  hasArguments,
  isAllowedBy,
  isHarmless,
  matchCommand,
  type Surroundings,
  wordsOf,
} from "./match-rule.ts";
import { type Folders, foldersOf, noFacts, readPathFacts, withFolders } from "./path-facts.ts";
import {
  allowed,
  type CommandMatch,
  commandOf,
  type JudgedCall,
  type Policy,
  type PolicyDefault,
  policyFor,
  type Rule,
  RuleWork,
  strictest,
  type ToolPolicy,
  TooMuchWork,
  type Verdict,
} from "./rule.ts";

export interface JudgeParts {
  readonly homeDir: string;
  /** Commands are asked about that are rarely meant; off with POLICY_CAUTIONS. */
  readonly warnsOfDanger: boolean;
  /** The file system does not tell capital from small letters. */
  readonly ignoresCase: boolean;
  /** The shell that runs commands. */
  readonly shell: ShellKind;
  /** The folder that relative paths begin at. */
  readonly folder: () => Promise<string>;
  /** PATH of commands. */
  readonly searchPath: () => Promise<readonly string[]>;
}

/** The verdict of the rules on a call; at once when nothing has to be looked up for it. */
export function judgeCall(
  call: JudgedCall,
  policy: Policy,
  parts: JudgeParts,
): Verdict | Promise<Verdict> {
  const own = policyFor(policy, call);
  const rules = own.rules.filter((rule) => isAboutCaller(rule, call));
  const { problem: broken } = own;
  const about: About = { call, rules, otherwise: otherwiseOf(call, own.defaults), parts };
  const verdict = rules.length === 0 ? judgeNow(about) : judgeWithFiles(about, own);
  if (broken === undefined) return verdict;
  const asks: Verdict = {
    action: "ask",
    rule: "broken policy file",
    reason: `a policy file is broken (${broken.message})`,
  };
  return verdict instanceof Promise
    ? verdict.then((own) => strictest([own, asks]))
    : strictest([verdict, asks]);
}

/** The verdict where no rule applies: the defaults, and the policy in the entry of the server, which is more specific. */
function otherwiseOf({ serverPolicy }: JudgedCall, defaults: readonly PolicyDefault[]): Verdict {
  const verdicts = defaults.map(({ action, name }): Verdict => ({
    action,
    rule: name,
    reason: "no rule allows it",
  }));
  if (serverPolicy === undefined) return strictest(verdicts);
  const { action, server } = serverPolicy;
  const own: Verdict = { action, rule: `policy of the MCP server ${server}`, reason: undefined };
  return action === "allow" ? own : strictest([...verdicts, own]);
}

interface About {
  readonly call: JudgedCall;
  readonly rules: readonly Rule[];
  readonly otherwise: Verdict;
  readonly parts: JudgeParts;
}

function judgeNow(about: About): Verdict {
  const { homeDir, warnsOfDanger, ignoresCase } = about.parts;
  const isWanted = warnsOfDanger || about.otherwise.action !== "allow";
  const reading = isWanted ? readingOf(about) : undefined;
  return judge(about, reading, { facts: noFacts, homeDir, ignoresCase, work: new RuleWork() });
}

async function judgeWithFiles(
  about: About,
  { hasPaths, hasPrograms }: ToolPolicy,
): Promise<Verdict> {
  const { call, parts } = about;
  const { homeDir, ignoresCase } = parts;
  const reading = hasPaths ? withFolders(readingOf(about)) : readingOf(about);
  const commands = reading?.commands ?? [];
  const programs = hasPrograms ? commands.flatMap(({ words }) => literalOf(words[0]) ?? []) : [];
  const { folders, missing } =
    hasPaths || hasPrograms ? foldersOf(commands, await parts.folder(), homeDir) : noFolders;
  const facts = await readPathFacts({
    folders,
    searchPath: hasPrograms ? await parts.searchPath() : [],
    words: hasPaths ? wordsOf(commands, call) : [],
    programs,
  });
  // Names without a folder are looked for in that of none.
  const needsFolders = hasPaths || programs.some((name) => /^[^/].*\//.test(name));
  const all = { ...facts, missing: facts.missing ?? (needsFolders ? missing : undefined) };
  return judge(about, reading, { facts: all, homeDir, ignoresCase, work: new RuleWork() });
}

const noFolders: Folders = { folders: [], missing: undefined };

function readingOf({ call, parts }: About): ShellReading | undefined {
  const command = commandOf(call);
  if (command === undefined) return undefined;
  return readShell(command, parts.homeDir, parts.shell);
}

function judge(
  about: About,
  reading: ShellReading | undefined,
  surroundings: Surroundings,
): Verdict {
  try {
    return judgeAll(about, reading, surroundings);
  } catch (error) {
    if (!(error instanceof TooMuchWork)) throw error;
    const rule = about.rules.find(({ action }) => action !== "allow")?.name;
    const reason = "the rules are too many or too long to be matched against all of it";
    return strictest([about.otherwise, { action: "ask", rule, reason }]);
  }
}

/** @throws TooMuchWork */
function judgeAll(
  about: About,
  reading: ShellReading | undefined,
  surroundings: Surroundings,
): Verdict {
  const { call, rules, otherwise, parts } = about;
  const whole = rules.filter(
    (rule) => rule.command === undefined && hasArguments(rule, call.args, surroundings),
  );
  const verdicts = whole.map(({ action, name, reason }): Verdict => ({
    action,
    rule: name,
    reason,
  }));
  verdicts.push(...aboutMissing(about, surroundings));
  // A rule for one tool may allow calls that its server's policy has asked about, not those that it denies.
  if (call.serverPolicy?.action === "deny") verdicts.push(otherwise);
  const isAllowed = verdicts.some(({ action }) => action === "allow");
  if (reading === undefined) return strictest([...verdicts, ...(isAllowed ? [] : [otherwise])]);
  const ofCommands = judgeCommand(reading, {
    rules: rules.filter(
      (rule): rule is CommandRule =>
        rule.command !== undefined && hasArguments(rule, call.args, surroundings),
    ),
    otherwise: isAllowed ? allowed : otherwise,
    warnsOfDanger: parts.warnsOfDanger && !isAllowed,
    surroundings,
  });
  return strictest([...verdicts, ofCommands]);
}

/** Where not all of a call was looked up, no rule can be said not to be about it. */
function aboutMissing(
  { rules, otherwise }: About,
  { facts: { missing } }: Surroundings,
): readonly Verdict[] {
  const strict = rules.find(({ action }) => action !== "allow");
  if (missing === undefined || strict === undefined) return [];
  const action = otherwise.action === "deny" ? "deny" : "ask";
  return [{ action, rule: strict.name, reason: missing }];
}

/** A rule that is about single programs of a command. */
interface CommandRule extends Rule {
  readonly command: CommandMatch;
}

interface CommandJudging {
  readonly rules: readonly CommandRule[];
  /** The verdict for programs that no rule allows. */
  readonly otherwise: Verdict;
  readonly warnsOfDanger: boolean;
  readonly surroundings: Surroundings;
}

/** The strictest of the verdicts on all programs. */
function judgeCommand(reading: ShellReading, judging: CommandJudging): Verdict {
  const verdicts = reading.commands.map((command) => judgeOne(command, judging));
  return strictest([...verdicts, aboutUnknowns(reading, judging)]);
}

function judgeOne(command: SimpleCommand, judging: CommandJudging): Verdict {
  const { rules, otherwise, warnsOfDanger, surroundings } = judging;
  const verdicts = rules
    .filter(({ action }) => action !== "allow")
    .map((rule) => verdictOf(rule, command, surroundings));
  const allowing = rules.find(
    (rule) => rule.action === "allow" && isAllowedBy(rule.command, command, surroundings),
  );
  if (allowing !== undefined) {
    verdicts.push({ action: "allow", rule: allowing.name, reason: allowing.reason });
    return strictest(verdicts);
  }
  // A command that only starts another program is judged as that program; one that only sets variables starts nothing.
  const startsNothing = command.isWrapper || command.words.length === 0;
  if (!startsNothing || !isHarmless(command, surroundings)) verdicts.push(otherwise);
  const cautions = warnsOfDanger ? cautionsAbout(command, surroundings.homeDir) : [];
  for (const reason of cautions) verdicts.push({ action: "ask", rule: cautionRule, reason });
  return strictest(verdicts);
}

function verdictOf(rule: CommandRule, command: SimpleCommand, surroundings: Surroundings): Verdict {
  const match = matchCommand(rule.command, command, surroundings);
  if (match === "no") return allowed;
  const { action, name } = rule;
  const about = rule.reason ?? `it is about ${nameOf(command)}`;
  if (match === "yes") return { action, rule: name, reason: about };
  const reason = `it may be about ${nameOf(command)}, which is known only when it runs`;
  return { action: "ask", rule: name, reason };
}

function nameOf({ words }: SimpleCommand): string {
  const [first] = words;
  if (first === undefined) return "a redirection";
  return JSON.stringify((literalOf(first) ?? first.pieces.join("…")).slice(0, 80));
}

/** Rules that forbid or ask may apply to the unknown parts. */
function aboutUnknowns({ unknowns }: ShellReading, { rules, otherwise }: CommandJudging): Verdict {
  const strict = rules.find(({ action }) => action !== "allow");
  if (unknowns.length === 0 || (strict === undefined && otherwise.action === "allow"))
    return allowed;
  const reason = `cannot determine what the command runs: ${unknowns.slice(0, 3).join("; ")}`;
  const action = otherwise.action === "deny" ? "deny" : "ask";
  return { action, rule: strict?.name ?? otherwise.rule, reason };
}
