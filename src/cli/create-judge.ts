import { delimiter } from "node:path";

import { judgeCall } from "../calls/policy/rules/judge-call.ts";
import { commandOf, type JudgedCall, type Verdict } from "../calls/policy/rules/rule.ts";
import { ignoresCaseOn, PolicyFiles, policyPlaces } from "../calls/policy/rules/policy-files.ts";
import { readShell } from "../calls/policy/shell/read-shell.ts";
import type { ShellReading } from "../calls/policy/shell/shell-text.ts";
import type { CommandIo } from "./command-io.ts";
import type { StartUp } from "./start-up.ts";

/** The verdict of the rules on a call, and the programs that its command would run, if any. */
export interface CallJudgement {
  readonly verdict: Verdict;
  readonly reading: ShellReading | undefined;
}

/** Judges calls as a server started here would; its PATH is that of this process. */
export function createJudge(
  { dirs, config, cwdFlag }: StartUp,
  io: CommandIo,
  warn: (message: string) => void,
): (call: JudgedCall) => Promise<CallJudgement> {
  const files = new PolicyFiles(policyPlaces(dirs, process.platform), warn);
  const { homeDir } = dirs;
  const searchPath = (io.env["PATH"] ?? io.env["Path"] ?? "").split(delimiter).filter(Boolean);
  return async (call) => {
    const verdict = await judgeCall(call, files.current(), {
      homeDir,
      warnsOfDanger: config.settings.policy.cautions,
      ignoresCase: ignoresCaseOn(process.platform),
      shell: "bash",
      folder: () => Promise.resolve(cwdFlag ?? io.cwd),
      searchPath: () => Promise.resolve(searchPath),
    });
    const command = commandOf(call);
    return { verdict, reading: command === undefined ? undefined : readShell(command, homeDir) };
  };
}
