import { writeSync } from "node:fs";

import {
  decoderArgument,
  hubArgument,
  huntArgument,
  pdfReaderArgument,
  sandboxArgument,
} from "../../base/product.ts";

/** The programs that this executable is when it starts itself: each gives its exit code, or becomes the command. */
const innerPrograms: Readonly<Record<string, (args: readonly string[]) => Promise<number>>> = {
  [decoderArgument]: async ([file]) => {
    const { runDecoder } = await import("../../tools/images/decode/run-decoder.ts");
    return runDecoder(file, process.env["PATH"] ?? "");
  },
  [pdfReaderArgument]: async ([file]) => {
    const { runPdfReader } = await import("../../web/documents/read-pdf.ts");
    return runPdfReader(file);
  },
  [hubArgument]: async ([given = ""]) => {
    const { runHub } = await import("../hub/run-hub.ts");
    return runHub(given);
  },
  [huntArgument]: async ([digits = ""]) => {
    const { huntMarked } = await import("../../commands/process/hunt-marked.ts");
    huntMarked(digits);
    return 0;
  },
  [sandboxArgument]: async ([rules, ...argv]) => {
    const { runRestricted } = await import("../../commands/sandbox/restrict/run-restricted.ts");
    const { limitOwnDescriptors } = await import("../../commands/process/command-limits.ts");
    const report = (message: string): void => void writeSync(2, `${message}\n`);
    limitOwnDescriptors();
    return runRestricted(rules, argv, process.env, report);
  },
};

/** Runs the inner program that the first argument names, and ends the process; returns where it names none. */
export async function runInnerProgram([first = "", ...rest]: readonly string[]): Promise<void> {
  if (!Object.hasOwn(innerPrograms, first)) return;
  const run = innerPrograms[first];
  if (run !== undefined) process.exit(await run(rest));
}
