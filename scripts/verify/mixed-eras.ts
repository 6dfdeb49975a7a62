/** Both eras interleaved, with cancellations, on one pipe and on one HTTP port. */
import { HttpServer } from "../../test/e2e/harness/http-server.ts";
import { MixedPort } from "../../test/e2e/harness/mixed-http.ts";
import { type MixedChannel, type MixedReport, runMixed } from "../../test/e2e/harness/mixed-run.ts";
import { MixedPipe } from "../../test/e2e/harness/mixed-stdio.ts";
import { Server } from "../../test/e2e/harness/server.ts";
import { type Outcome, seconds } from "./outcome.ts";

const requests = 10_000;
const inFlight = 64;

export async function checkMixedEras(): Promise<Outcome> {
  const seed = Date.now() % 1_000_000;
  const runs: readonly [string, string, string[]][] = [
    await overPipe(seed),
    await overPort(seed + 1),
  ];
  const faults = runs.flatMap(([name, , found]) => found.map((fault) => `${name}: ${fault}`));
  return {
    name: "mixed eras",
    passed: faults.length === 0,
    figures:
      `${requests} requests of both eras each, ${inFlight} in flight, seed ${seed}: ` +
      runs.map(([name, figure]) => `${name} ${figure}`).join("; "),
    faults: faults.slice(0, 20),
    details: runs.map(([name, figure, { length }]) => [
      name,
      length === 0 ? "pass" : "FAIL",
      figure,
    ]),
  };
}

async function overPipe(seed: number): Promise<[string, string, string[]]> {
  await using server = new Server();
  await server.initialize("2025-06-18");
  return await run("one pipe", new MixedPipe(server), seed);
}

async function overPort(seed: number): Promise<[string, string, string[]]> {
  await using server = await HttpServer.start();
  return await run("one HTTP port", await MixedPort.open(server), seed);
}

async function run(
  name: string,
  channel: MixedChannel,
  seed: number,
): Promise<[string, string, string[]]> {
  const startedAt = performance.now();
  const report: MixedReport = await runMixed(channel, requests, inFlight, seed);
  const { answered, cancelled, faults } = report;
  const ms = performance.now() - startedAt;
  const figure = `${answered} answered once, ${cancelled} cancelled and silent, in ${seconds(ms)}`;
  return [name, figure, [...faults]];
}
