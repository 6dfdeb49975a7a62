/**
 * Verifies what takes too long for the test suite, on this machine, with the compiled binary.
 *
 *     bun run verify [--only exit,handover,upstream-handover,kill,upstreams,upstream-exit,upstream-start,first-lists,cold-npx,upstream-load,upstream-output,upstream-flood,floods,mixed,battery,images,files,pages,packages,deploy,team-hour,release,readme,clients,client-files,move,move-kills,first-hour,hub-processes,hub-figures,hub-kills,hub-fairness,hub-suite,fleet-resume,fleet-throughput,fleet-update,fleet-kills,fleet-tasks,fleet-faults,fleet-figures,watching-cost,doctor-as,long,sandbox,separation,shell,survivors,tasks,skills,tool-search,seen,trust,update,soak,bench] [--runs 100] [--calls 1000000] [--sdk-servers CLONE] [--hub auto|on|off] [--hub-idle 0] [--base-binary FILE]
 *
 * `--hub` and `--hub-idle` are HUB and HUB_IDLE of every server that a check starts; `--base-binary` names an executable from before
 * the hub, for `hub-figures`.
 * `--sdk-servers` names a clone of the official SDK's repository, whose own test servers `upstreams` then tries too.
 * Prints a line for each check; exits with 1 when one fails. A whole run writes docs/internals/verification.md.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";

import { ensureBuilt, faultyBinary, productBinary, root } from "../../test/e2e/harness/binary.ts";
import { checkBattery } from "./battery.ts";
import { checkBench } from "./bench.ts";
import { checkClientFiles } from "./client-files.ts";
import { checkClients } from "./clients.ts";
import { checkColdNpx } from "./cold-npx.ts";
import { checkDeploy } from "./deploy.ts";
import { checkDoctorAs } from "./doctor-as.ts";
import { checkExitTimes } from "./exit-times.ts";
import { checkFirstHour } from "./first-hour.ts";
import { checkFirstLists } from "./first-lists.ts";
import { checkFleetFaults } from "./fleet/fleet-faults.ts";
import { checkFleetFigures } from "./fleet/fleet-figures.ts";
import { checkFleetKills } from "./fleet/fleet-kills.ts";
import { checkFleetThroughput } from "./fleet/fleet-throughput.ts";
import { checkFleetUpdate } from "./fleet/fleet-update.ts";
import { checkFleetResume } from "./fleet/fleet-resume.ts";
import { checkFleetTasks } from "./fleet/fleet-tasks.ts";
import { checkWatchingCost } from "./fleet/watching-cost.ts";
import { checkFloods } from "./floods.ts";
import { checkHubAttack } from "./hub/attack.ts";
import { checkHubKept } from "./hub/kept.ts";
import { checkHubUpdate } from "./hub/update.ts";
import { checkHubUsers } from "./hub/users.ts";
import { checkHandover } from "./handover-90s.ts";
import { checkHostileFiles } from "./hostile-files.ts";
import { hubModeOf } from "./hub/hub-clients.ts";
import { checkHubFairness } from "./hub/hub-fairness.ts";
import { checkHubFigures } from "./hub/hub-figures.ts";
import { checkHubKills } from "./hub/hub-kills.ts";
import { checkHubProcesses } from "./hub/hub-processes.ts";
import { checkHubSuite } from "./hub/hub-suite.ts";
import { checkImageFuzz } from "./image-fuzz.ts";
import { checkKillLoop } from "./kill-loop.ts";
import { checkLongTests } from "./long-tests.ts";
import { checkMixedEras } from "./mixed-eras.ts";
import { checkMoveKills } from "./move-kills.ts";
import { checkMove } from "./move.ts";
import type { Outcome } from "./outcome.ts";
import { checkPackages } from "./packages.ts";
import { checkPageScore, hasPages } from "./page-score.ts";
import { page, summary } from "./report.ts";
import { checkReadme } from "./readme.ts";
import { checkRelease } from "./release.ts";
import { checkSandbox } from "./sandbox.ts";
import { checkSeen } from "./seen.ts";
import { checkSeparation } from "./separation.ts";
import { checkShell } from "./shell.ts";
import { checkSkillLists } from "./skill-lists.ts";
import { checkSoak } from "./soak.ts";
import { checkSurvivors } from "./survivors.ts";
import { checkTasks } from "./tasks.ts";
import { checkTeamHour } from "./team-hour.ts";
import { checkToolSearch } from "./tool-search.ts";
import { checkTrustKills } from "./trust-kills.ts";
import { checkUpdate } from "./update.ts";
import { checkUpstreams } from "./upstreams.ts";
import { checkUpstreamExit } from "./upstream-exit.ts";
import { checkUpstreamFlood } from "./upstream-flood.ts";
import { checkUpstreamLoad } from "./upstream-load.ts";
import { checkUpstreamOutput } from "./upstream-output.ts";
import { checkUpstreamStart } from "./upstream-start.ts";
import { checkUpstreamHandover } from "./upstream-handover.ts";

const { values } = parseArgs({
  options: {
    help: { type: "boolean", default: false },
    only: { type: "string" },
    runs: { type: "string", default: "100" },
    calls: { type: "string", default: "1000000" },
    "sdk-servers": { type: "string" },
    hub: { type: "string" },
    "hub-idle": { type: "string" },
    "base-binary": { type: "string" },
    write: { type: "boolean", default: false },
  },
});

// For the harness, and for servers that get all of our variables.
for (const [name, value] of [
  ["HUB", values.hub],
  ["HUB_IDLE", values["hub-idle"]],
] as const) {
  if (value === undefined) continue;
  process.env[`TEST_${name}`] = value;
  process.env[`SCORPIOX_${name}`] = value;
}
const hubMode = hubModeOf(values.hub ?? "auto");
const baseBinary = values["base-binary"];

const checks: Readonly<Record<string, () => Promise<Outcome>>> = {
  exit: checkExitTimes,
  handover: checkHandover,
  kill: () => checkKillLoop(Number(values.runs)),
  upstreams: () => checkUpstreams({ sdkClone: values["sdk-servers"] }),
  "upstream-handover": checkUpstreamHandover,
  "upstream-exit": () => checkUpstreamExit(Number(values.runs)),
  "upstream-start": () => checkUpstreamStart(10),
  "first-lists": () => checkFirstLists(20),
  "cold-npx": () => checkColdNpx(40),
  "upstream-load": () => checkUpstreamLoad(1_000),
  "upstream-output": checkUpstreamOutput,
  "upstream-flood": checkUpstreamFlood,
  floods: () => checkFloods(),
  mixed: checkMixedEras,
  battery: checkBattery,
  images: () => checkImageFuzz(500),
  files: () => checkHostileFiles(20_000),
  // The annotated pages are beside the checkout, or this is not checked and not listed.
  ...(hasPages ? { pages: checkPageScore } : {}),
  packages: checkPackages,
  deploy: checkDeploy,
  "team-hour": checkTeamHour,
  release: checkRelease,
  readme: checkReadme,
  clients: checkClients,
  "client-files": checkClientFiles,
  move: checkMove,
  "move-kills": checkMoveKills,
  "first-hour": checkFirstHour,
  "doctor-as": checkDoctorAs,
  "hub-processes": () => checkHubProcesses(20, hubMode),
  "hub-figures": () => checkHubFigures({ rounds: 15, mode: hubMode, baseBinary }),
  "hub-kills": () => checkHubKills(Number(values.runs)),
  "hub-attack": () => checkHubAttack(),
  "hub-kept": () => checkHubKept(Number(values.runs)),
  "hub-update": checkHubUpdate,
  "hub-users": checkHubUsers,
  "hub-fairness": () => checkHubFairness(5, hubMode),
  "hub-suite": () => checkHubSuite(hubModeOf(values.hub ?? "on"), Number(values["hub-idle"] ?? 0)),
  "fleet-resume": checkFleetResume,
  "fleet-throughput": checkFleetThroughput,
  "fleet-update": () => checkFleetUpdate(baseBinary),
  "fleet-kills": checkFleetKills,
  "fleet-tasks": checkFleetTasks,
  "fleet-faults": checkFleetFaults,
  "fleet-figures": checkFleetFigures,
  "watching-cost": () => checkWatchingCost(baseBinary),
  long: checkLongTests,
  sandbox: checkSandbox,
  separation: checkSeparation,
  shell: () => checkShell(200_000),
  survivors: () => checkSurvivors(1_000),
  tasks: () => checkTasks(150),
  skills: () => checkSkillLists(500),
  "tool-search": checkToolSearch,
  seen: checkSeen,
  trust: () => checkTrustKills(Number(values.runs)),
  update: checkUpdate,
  soak: () => checkSoak(Number(values.calls)),
  bench: checkBench,
};

if (values.help) {
  console.log(
    `bun run verify [--only NAME,NAME…] [--write] [--runs N] [--calls N] [--hub on|off|auto] [--hub-idle S]\n` +
      `               [--base-binary FILE] [--sdk-servers CLONE]\n\n` +
      `Without --only all checks run, which takes hours, and docs/internals/verification.md is written.\n\n` +
      `Checks: ${Object.keys(checks).join(", ")}`,
  );
  process.exit(0);
}
const chosen = values.only?.split(",") ?? Object.keys(checks);
const unknown = chosen.find((name) => !(name in checks));
if (unknown !== undefined) {
  console.error(`verify: no check ${unknown}; there are ${Object.keys(checks).join(", ")}`);
  process.exit(2);
}

ensureBuilt(productBinary);
ensureBuilt(faultyBinary);
const outcomes: Outcome[] = [];
for (const name of chosen) {
  console.log(`verify: ${name}`);
  outcomes.push(await runOne(name));
}
console.log(summary(outcomes));
if (values.write || values.only === undefined) {
  await Bun.write(join(root, "docs/internals/verification.md"), page(outcomes, new Date()));
}
process.exit(outcomes.every(({ passed }) => passed) ? 0 : 1);

async function runOne(name: string): Promise<Outcome> {
  try {
    const outcome = await checks[name]?.();
    if (outcome !== undefined) return outcome;
    return { name, passed: false, figures: "", faults: ["not run"] };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { name, passed: false, figures: "could not be completed", faults: [message] };
  }
}
