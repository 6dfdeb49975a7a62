import { describe, expect, test } from "bun:test";

import type { ConnectOptions, Endpoint } from "../../../src/upstream/connect/connection.ts";
import { openConnection } from "../../../src/upstream/connect/negotiate.ts";
import { type Part, PlayedProcess } from "./played-process.ts";

const legacy = { protocolVersion: "2025-11-25", capabilities: { tools: {} } };
const modern = { supportedVersions: ["2026-07-28"], capabilities: { tools: {} } };

interface Meeting {
  readonly processes: readonly PlayedProcess[];
  readonly strays: readonly string[];
  readonly outcome: Promise<unknown>;
}

/** Connects to a server that is played; the last of `parts` is that of all further processes. */
function meet(
  parts: readonly Part[],
  options: Partial<ConnectOptions> = {},
  endpoint: Partial<Endpoint> = {},
): Meeting {
  const processes: PlayedProcess[] = [];
  const strays: string[] = [];
  const spawn = (): Promise<PlayedProcess> => {
    const part = parts[processes.length] ?? parts.at(-1) ?? (() => {});
    const process = new PlayedProcess(processes.length + 1, part);
    processes.push(process);
    return Promise.resolve(process);
  };
  const outcome = openConnection(
    {
      server: "played",
      endpoint: { transport: "stdio", spawn, ...endpoint } as Endpoint,
      era: "auto",
      initTimeoutMs: 30_000,
      mayAsk: { sampling: false, elicitation: false },
      roots: { isAsked: true, known: () => [] },
      product: { name: "test", version: "1" },
      ...options,
    },
    {
      onListChanged: () => {},
      onResourceUpdated: () => {},
      onLog: () => {},
      onStray: (text) => void strays.push(text),
      onClosed: () => {},
    },
    new AbortController().signal,
  ).then(
    ({ era, pid }) => `${era} by process ${pid}`,
    ({ failure, message }: { failure: string; message: string }) => `${failure}: ${message}`,
  );
  return { processes, strays, outcome };
}

/** Says nothing to the probe, and answers once it is asked `initialize`. */
const after = (act: Part): Part => {
  let probe: Parameters<Part>[0] | undefined;
  return (message, play) => {
    if (message.method === "server/discover") probe ??= message;
    if (message.method === "initialize") act({ ...message, probe }, play);
  };
};

describe("a process that has written nothing is not ended [CN10]", () => {
  const both = ["server/discover", "initialize"];
  const greeted = [...both, "notifications/initialized"];

  test.concurrent.each<[string, Part, string, readonly string[]]>([
    [
      "legacy, started slowly: its refusal of the probe decides nothing",
      after((message, play) => {
        play.refuse(message.probe as never);
        play.answer(message, legacy);
      }),
      "legacy by process 1",
      greeted,
    ],
    [
      "legacy that never answers what it does not know",
      after((message, play) => play.answer(message, legacy)),
      "legacy by process 1",
      greeted,
    ],
    [
      "modern, started slowly: what it says of initialize is ignored",
      after((message, play) => {
        play.answer(message.probe as never, modern);
        play.refuse(message);
      }),
      "modern by process 1",
      both,
    ],
    [
      "modern, which refuses initialize before it answers the probe",
      after((message, play) => {
        play.refuse(message);
        setTimeout(() => play.answer(message.probe as never, modern), 50);
      }),
      "modern by process 1",
      both,
    ],
    [
      "both: it greets first in the old way",
      after((message, play) => {
        play.answer(message, legacy);
        setTimeout(() => play.answer(message.probe as never, modern), 20);
      }),
      "legacy by process 1",
      greeted,
    ],
  ])("%s", async (_, part, outcome, methods) => {
    const { processes, strays, outcome: met } = meet([part]);
    expect(await met).toBe(outcome);
    await Bun.sleep(100);
    expect(processes.map((process) => process.methods)).toEqual([[...methods]]);
    expect({ isStopped: processes[0]?.isStopped, strays }).toEqual({
      isStopped: false,
      strays: [],
    });
  });
});

describe("an error answer is followed by initialize in the same pipe [CN10]", () => {
  const greets: Part = (message, play) => {
    if (message.method === "initialize") play.answer(message, legacy);
  };

  test.each<[string, Part, string[]]>([
    ["unknown method", (message, play) => play.refuse(message), ["legacy by process 1"]],
    ["not initialized", (message, play) => play.refuse(message, -32_002), ["legacy by process 1"]],
    ["something else", (message, play) => play.answer(message, {}), ["legacy by process 1"]],
    [
      "no revision of ours",
      (message, play) => play.refuse(message, -32_022, { supported: ["2031-01-01"] }),
      ["legacy by process 1"],
    ],
  ])("%s", async (_, part, expected) => {
    const { outcome, processes } = meet([
      (message, play) =>
        message.method === "server/discover" ? part(message, play) : greets(message, play),
    ]);
    expect([await outcome]).toEqual(expected);
    expect(processes.map(({ methods }) => methods.length)).toEqual([3]);
  });

  test("only the end of the process is followed by another", async () => {
    const { outcome, processes } = meet([(_, play) => play.exit(), greets]);
    expect(await outcome).toBe("legacy by process 2");
    expect(processes.map(({ methods }) => methods)).toEqual([
      ["server/discover"],
      ["initialize", "notifications/initialized"],
    ]);
  });
});

describe("how long is waited for a process [CN10]", () => {
  const mute: Part = () => {};
  /** Answers when it has written to stderr for a while. */
  const chatty: Part = (message, play) => {
    for (const ms of [50, 200, 350, 500]) setTimeout(() => play.writeError(), ms);
    if (message.method !== "notifications/initialized") {
      setTimeout(() => play.answer(message, { ...legacy, ...modern }), 600);
    }
  };
  const late = "timeout: No answer in 300 ms.";

  test.each<[string, Part, Partial<ConnectOptions>, Partial<Endpoint>, string]>([
    ["mute", mute, {}, {}, late],
    ["mute, known to be legacy", mute, { knownEra: "legacy" }, {}, late],
    ["mute, wanted modern", mute, { era: "modern" }, {}, late],
    ["writes to stderr, and all of it is here", chatty, {}, { isInstalled: true }, late],
    ["writes to stderr, and may be fetching itself", chatty, {}, {}, "modern by process 1"],
    ["so, known to be legacy", chatty, { knownEra: "legacy" }, {}, "legacy by process 1"],
  ])("%s", async (_, part, options, endpoint, expected) => {
    const { outcome, processes } = meet([part], { initTimeoutMs: 300, ...options }, endpoint);
    expect(await outcome).toBe(expected);
    expect(processes.map(({ isStopped }) => isStopped)).toEqual([expected === late]);
  });
});
