import { describe, expect, test } from "bun:test";

import { outputSoFar } from "../../../src/calls/router/background-replies.ts";
import { Execution } from "../../../src/commands/background/execution.ts";
import { newOutput } from "../../../src/commands/background/output-store.ts";
import { Orphanage } from "../../../src/commands/process/orphanage.ts";

function executionOf(output: string | Uint8Array): Execution {
  const execution = new Execution({
    commandText: "x",
    orphanage: new Orphanage(),
    onGone: () => {},
  });
  void execution.onOutput(Buffer.from(output));
  return execution;
}

const nothingKept = (): never => {
  throw new Error("nothing is saved");
};

/** Text whose last character lacks its last byte. */
const torn = (text: string): Uint8Array => Buffer.from(text).subarray(0, -1);

describe("outputSoFar() and what is read after it", () => {
  const rows: [string, string | Uint8Array, string, string][] = [
    ["whole lines, then the unfinished one", "a\nbc", "whole", "bc"],
    ["a torn character", torn("a\nb€"), "whole", "b"],
    ["an output that is cut, with a torn character", torn("€".repeat(2_000)), "cut", ""],
    ["a few long characters, torn", torn("€".repeat(40)), "whole", ""],
  ];
  test.each(rows)("%s", (_name, printed, kind, rest) => {
    const execution = executionOf(printed);
    const { output, to } = outputSoFar(execution, 100, nothingKept);
    const shown = output.kind === "whole" ? output.text : output.head + output.tail;
    expect([output.kind, shown.includes("\ufffd")]).toEqual([kind as typeof output.kind, false]);
    const { partial } = newOutput(execution.output, to, false);
    expect(partial).toBe(rest);
    // The missing byte arrives: the character is whole in the next read.
    if (typeof printed === "string") return;
    void execution.onOutput(Buffer.from("€\n").subarray(2));
    expect(newOutput(execution.output, to, false).stretches).toEqual([`${rest}€\n`]);
  });
});
