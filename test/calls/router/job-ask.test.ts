import { describe, expect, test } from "bun:test";

import { AppError } from "../../../src/base/errors.ts";
import { Cancellation } from "../../../src/base/cancellation.ts";
import { type AskClient, FaultError, InputNeeded } from "../../../src/calls/ask-client.ts";
import type { CallRequest } from "../../../src/calls/call.ts";
import { askForJob, jobEndOf } from "../../../src/calls/router/job-host.ts";
import type { InputRequests } from "../../../src/protocol/input-request.ts";

const requests: InputRequests = { roots: { method: "roots/list" } };
const needed = new InputNeeded(requests, "state");
const refused = new FaultError({ code: -32021, message: "no" });
const late = new AppError("cancelled", "late");

function call(ask?: AskClient["ask"]): CallRequest {
  return {
    name: "Tool",
    args: {},
    version: "2026-07-28",
    client: {
      id: "client",
      limits: { answerMs: 0, resultCharsMax: 1 },
      workspaceDir: () => Promise.resolve("/"),
    },
    cancellation: new Cancellation(),
    ...(ask === undefined ? {} : { ask: { can: () => true, ask } }),
  };
}

async function outcomeOf(ask: AskClient["ask"] | undefined, hasActed: boolean): Promise<unknown> {
  return askForJob(call(ask), requests, hasActed).catch((error: unknown) => error);
}

describe("askForJob()", () => {
  const answers = { roots: { roots: [] } };
  const tooLate = new AppError(
    "usage",
    "Tool asked the client after it had done something else, which cannot be taken up again " +
      "when the client has answered. A tool must ask before anything else.",
  );
  test.each<[string, AskClient["ask"] | undefined, boolean, unknown]>([
    ["answers", () => Promise.resolve(answers), false, answers],
    ["answers that are there at once", () => Promise.resolve(answers), true, answers],
    ["a round", () => Promise.reject(needed), false, needed],
    ["a round after something was done", () => Promise.reject(needed), true, tooLate],
    ["a fault", () => Promise.reject(refused), true, refused],
    ["a failure", () => Promise.reject(late), true, late],
    [
      "nobody",
      undefined,
      false,
      new AppError("unsupported", "There is no client that can be asked."),
    ],
  ])("%s", async (_what, ask, hasActed, expected) => {
    expect(await outcomeOf(ask, hasActed)).toEqual(expected);
  });
});

test("jobEndOf() ends a job by what its handler cannot answer for, and by nothing else", () => {
  expect([needed, refused, late, undefined].map(jobEndOf)).toEqual([
    { ended: { kind: "input-required", requests, requestState: "state" } },
    { ended: { kind: "fault", fault: { code: -32021, message: "no" } } },
    undefined,
    undefined,
  ]);
});
