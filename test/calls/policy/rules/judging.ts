import { judgeCall, type JudgeParts } from "../../../../src/calls/policy/rules/judge-call.ts";
import type { JudgedCall, Verdict } from "../../../../src/calls/policy/rules/rule.ts";
import { parsePolicy } from "../../../../src/calls/policy/rules/parse-policy.ts";

/** What the rules of a file say of a call; `/home/me` is home, `/work` the folder. */
export async function judged(
  file: object,
  call: JudgedCall | string,
  parts: Partial<JudgeParts> = {},
): Promise<Verdict> {
  const policy = parsePolicy(JSON.stringify(file), "P", "user");
  const whole = typeof call === "string" ? { tool: "Bash", args: { command: call } } : call;
  return judgeCall(whole, policy, {
    homeDir: "/home/me",
    warnsOfDanger: false,
    ignoresCase: false,
    shell: "bash",
    folder: () => Promise.resolve("/work"),
    searchPath: () => Promise.resolve(["/usr/bin", "/bin"]),
    ...parts,
  });
}

/** The same, in short: the action, and the number of the rule if there is one. */
export async function action(...input: Parameters<typeof judged>): Promise<string> {
  const { action: found, rule } = await judged(...input);
  return [found, /^rule (\d+)/.exec(rule ?? "")?.[1]].filter(Boolean).join(" ");
}
