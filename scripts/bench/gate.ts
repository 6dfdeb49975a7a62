// What a call costs on its way to its tool: rules, cautions and the audit log. `bun scripts/bench/gate.ts`
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Cancellation } from "../../src/base/cancellation.ts";
import type { CallOutcome, CallRequest, ToolProvider } from "../../src/calls/call.ts";
import { Admissions, Gate } from "../../src/calls/gate/gate.ts";
import { AuditFile } from "../../src/calls/policy/audit/audit-file.ts";
import { AuditLog, AuditWatcher } from "../../src/calls/policy/audit/audit-log.ts";
import { PolicyStage } from "../../src/calls/policy/policy-stage.ts";
import { PolicyFiles } from "../../src/calls/policy/rules/policy-files.ts";

const calls = 20_000;
const rounds = 5;
const folder = mkdtempSync(join(tmpdir(), "scorpiox-gate-"));
const outcome: CallOutcome = { kind: "result", json: '{"content":[]}' };
const router: ToolProvider = { list: () => [], call: () => Promise.resolve(outcome) };
const cancellation = new Cancellation();
const client = {
  id: "stdio",
  limits: { answerMs: 0, resultCharsMax: 1 },
  workspaceDir: () => Promise.resolve(folder),
};

const paths = ["/etc/scorpiox", folder, join(folder, "project")];
const files = new PolicyFiles(
  paths.map((path) => ({ path: join(path, "policy.jsonc"), level: "user" as const })),
  () => {},
);
const stage = new PolicyStage({
  policy: () => files.current(),
  policyFreshUntil: () => files.freshUntil,
  questions: () => ({ ask: () => Promise.resolve({ outcome: "unavailable" }) }),
  homeDir: "/home/me",
  warnsOfDanger: true,
  ignoresCase: false,
  shell: "bash",
  searchPath: () => Promise.resolve([]),
});
const log = new AuditLog(new AuditFile(join(folder, "audit")), () => {});
const audit = new AuditWatcher({
  log,
  instanceId: "bench",
  decided: stage.calls,
  decisionOn: (call) => stage.decisionOn(call),
  logsCommands: false,
  secrets: [],
});
const bare = new Gate({ own: router, admissions: new Admissions([]), notes: [], watchers: [] });
const full = new Gate({
  own: router,
  admissions: new Admissions([stage]),
  notes: [],
  watchers: [audit, stage],
});

function request(name: string, args: object): CallRequest {
  return { name, args, version: "2025-11-25", client, cancellation };
}

/** Microseconds for each call, the writing of the log included: the best of some rounds. */
async function measure(gate: Gate, name: string, args: object): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const begunAt = performance.now();
    for (let number = 0; number < calls; number++) {
      await gate.call(request(name, args));
      // As many as come in before the next look at the clock; more would be dropped.
      if (number % 1000 === 0) await log.flush();
    }
    await log.flush();
    times.push(((performance.now() - begunAt) / calls) * 1000);
  }
  return Math.min(...times);
}

const rows: [string, string, object][] = [
  ["WebSearch", "WebSearch", { query: "how long is a call" }],
  ["Bash, short", "Bash", { command: "ls -la src | head" }],
  [
    "Bash, usual",
    "Bash",
    {
      command: "cd /work/project && git status --short && npm run build 2>&1 | tail -20",
      timeout: 60_000,
    },
  ],
];
for (const [label, name, args] of rows) {
  const without = await measure(bare, name, args);
  const withAll = await measure(full, name, args);
  const added = (withAll - without).toFixed(1);
  process.stdout.write(
    `${label}: ${added} µs added (${withAll.toFixed(1)} with, ${without.toFixed(1)} without)\n`,
  );
}
rmSync(folder, { recursive: true });
