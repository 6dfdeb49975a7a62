/** One run: all chosen phases over all servers that can be started. */
import type { ServerName } from "./adapters.ts";
import { adapterOf } from "./adapters.ts";
import { nowMs } from "./client/clock.ts";
import { closeAllServers } from "./client/open-servers.ts";
import type { Launch } from "./client/spawn.ts";
import { describeMachine } from "./machine.ts";
import type { MetricId } from "./metrics.ts";
import type { Options } from "./options.ts";
import { Participant } from "./participant.ts";
import { paths } from "./paths.ts";
import { phases } from "./phases/all.ts";
import { phaseTitles } from "./phases/phase-names.ts";
import type { RunResult, ServerResult } from "./result.ts";
import { absenceOf, prepareServers } from "./setup.ts";
import { summarize } from "./stats.ts";
import type { Summary } from "./stats.ts";

export async function measure(options: Options): Promise<RunResult> {
  prepareServers(options.servers);
  const skipped: Partial<Record<ServerName, string>> = {};
  const participants: Participant[] = [];
  for (const server of options.servers) {
    const absence = absenceOf(server, options.binary);
    if (absence === undefined) participants.push(createParticipant(server, options));
    else skipped[server] = absence;
  }
  for (const [server, reason] of Object.entries(skipped)) {
    process.stderr.write(`bench: ${server} is skipped: ${reason}\n`);
  }
  const date = new Date().toISOString();
  const machine = describeMachine();
  const startedAtMs = nowMs();
  try {
    await runPhases(participants, options, startedAtMs);
  } finally {
    // The client of a library keeps this process alive for as long as its server lives.
    for (const participant of participants) participant.close();
    closeAllServers();
  }
  const servers: Partial<Record<ServerName, ServerResult>> = {};
  for (const participant of participants) servers[participant.name] = resultOf(participant);
  const elapsedMs = nowMs() - startedAtMs;
  const { settings } = options;
  return { date, machine, settings, phases: options.phases, elapsedMs, servers, skipped };
}

async function runPhases(
  participants: readonly Participant[],
  options: Options,
  startedAtMs: number,
): Promise<void> {
  for (const phase of options.phases) {
    const seconds = ((nowMs() - startedAtMs) / 1000).toFixed(0).padStart(3);
    process.stderr.write(`bench: ${seconds} s  ${phaseTitles[phase]}\n`);
    const taking = participants.filter((participant) => participant.takesPart(phase));
    await phases[phase](taking, options.settings);
  }
}

function createParticipant(server: ServerName, options: Options): Participant {
  const { command, http } = adapterOf(server);
  const launch: Launch = {
    command: command(options.binary),
    env: { PATH: process.env.PATH ?? "/usr/bin:/bin", HOME: paths.home, LANG: "C.UTF-8" },
    cwd: paths.workspace,
    stderrFile: options.stderrFile,
  };
  const httpLaunch =
    http && ((port: number) => ({ ...launch, command: http.command(options.binary, port) }));
  return new Participant(server, launch, httpLaunch);
}

function resultOf(participant: Participant): ServerResult {
  const metrics: Partial<Record<MetricId, Summary>> = {};
  for (const [metric, values] of participant.samples) metrics[metric] = summarize(values);
  return { metrics, notes: participant.notes };
}
