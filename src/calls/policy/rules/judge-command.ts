import { literalOf, type ShellReading, type SimpleCommand } from "../shell/shell-text.ts";
import { cautionRule, cautionsAbout } from "./cautions.ts";
import { isAllowedBy, isHarmless, matchCommand, type Surroundings } from "./match-command.ts";
import { allowed, type CommandMatch, type Rule, strictest, type Verdict } from "./rule.ts";

/** A rule that is about single programs of a command. */
export interface CommandRule extends Rule {
  readonly command: CommandMatch;
}

export interface CommandJudging {
  readonly rules: readonly CommandRule[];
  /** The verdict for programs that no rule allows. */
  readonly otherwise: Verdict;
  readonly warnsOfDanger: boolean;
  readonly surroundings: Surroundings;
}

/** The strictest of the verdicts on all programs. */
export function judgeCommand(reading: ShellReading, judging: CommandJudging): Verdict {
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
