import { delimiter, join, win32 } from "node:path";

import type { CallRequest } from "../calls/call.ts";
import type { CallWatcher } from "../calls/gate/gate-stage.ts";
import { AuditFile } from "../calls/policy/audit/audit-file.ts";
import { AuditLog, AuditWatcher, secretsOf } from "../calls/policy/audit/audit-log.ts";
import { PolicyStage } from "../calls/policy/policy-stage.ts";
import {
  ignoresCaseOn,
  PolicyFiles,
  policyPlaces,
  ProjectPolicies,
} from "../calls/policy/rules/policy-files.ts";
import { type ShellKind, shellKindOf } from "../calls/policy/shell/shell-text.ts";
import type { StateServices } from "../calls/state-calls.ts";
import type { ServiceParts } from "./program-parts.ts";

export interface ServerPolicyParts extends ServiceParts {
  readonly questions: () => StateServices["questions"];
  /** The sandbox in which a command of the call would run, as a clause; undefined = none. */
  readonly sandboxOf: (call: CallRequest) => Promise<string | undefined>;
}

/** The stages that check every call, and the audit log that records it. */
export class ServerPolicy implements AsyncDisposable {
  readonly stage: PolicyStage;
  readonly watchers: readonly CallWatcher[];
  readonly #log: AuditLog | undefined;

  constructor(parts: ServerPolicyParts) {
    const { start, env, warn, environment, questions, sandboxOf } = parts;
    const { policy } = start.config.settings;
    const { dirs } = start;
    const { platform } = process;
    const places = policyPlaces(dirs, platform);
    const files = new PolicyFiles(places, warn);
    const projects = new ProjectPolicies(dirs.homeDir, places, warn);
    const stage = new PolicyStage({
      policy: files.current,
      policyFreshUntil: () => files.freshUntil,
      policyAt: (folder) => projects.at(folder),
      questions,
      sandboxOf,
      homeDir: dirs.homeDir,
      warnsOfDanger: policy.cautions,
      ignoresCase: ignoresCaseOn(platform),
      shell: kindOf(parts.shell.path),
      searchPath: async () => searchPathOf(await environment()),
    });
    this.stage = stage;
    this.#log = policy.audit
      ? new AuditLog(new AuditFile(join(dirs.scorpioxDir, "audit")), warn)
      : undefined;
    const { instanceId } = parts;
    const decided = stage.calls;
    const decisionOn = stage.decisionOn.bind(stage);
    const logsCommands = policy.auditCommands;
    const secrets = secretsOf(env);
    const audit = this.#log && [
      new AuditWatcher({ log: this.#log, instanceId, decided, decisionOn, logsCommands, secrets }),
    ];
    // The stage last: the audit log reads its facts about a call before it learns of the end.
    this.watchers = [...(audit ?? []), stage];
  }

  /** Writes pending lines. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#log?.flush();
  }
}

function kindOf(shellPath: string): ShellKind {
  return shellKindOf(
    win32
      .basename(shellPath)
      .toLowerCase()
      .replace(/\.exe$/, ""),
  );
}

/** The folders of programs in the environment of commands. */
function searchPathOf(environment: Readonly<Record<string, string>>): readonly string[] {
  const path = environment["PATH"] ?? environment["Path"] ?? "";
  return path.split(delimiter).filter(Boolean);
}
