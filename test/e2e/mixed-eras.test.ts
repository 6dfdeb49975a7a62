import { expect, setDefaultTimeout } from "bun:test";

import { HttpServer } from "./harness/http-server.ts";
import { MixedPort } from "./harness/mixed-http.ts";
import { runMixed } from "./harness/mixed-run.ts";
import { MixedPipe } from "./harness/mixed-stdio.ts";
import { posixTest } from "./harness/platform.ts";
import { Server } from "./harness/server.ts";

setDefaultTimeout(60_000);

/** `bun run verify --only mixed` sends 10,000. */
const count = 300;
const inFlight = 64;
const seed = 20_260_728;

posixTest("[protocol.mixed] HP1: both eras and cancellations on one pipe", async () => {
  await using server = new Server();
  await server.initialize("2025-06-18");
  const report = await runMixed(new MixedPipe(server), count, inFlight, seed);
  expect(report.faults).toEqual([]);
  expect(report.answered + report.cancelled).toBe(count);
  expect(report.cancelled).toBeGreaterThan(10);
});

posixTest("[http.mixed] HP1: both eras and cancellations on one port", async () => {
  await using server = await HttpServer.start();
  const report = await runMixed(await MixedPort.open(server), count, inFlight, seed);
  expect(report.faults).toEqual([]);
  expect(report.answered + report.cancelled).toBe(count);
  expect(report.cancelled).toBeGreaterThan(10);
});
