import type { SandboxReport } from "../../commands/sandbox/report.ts";
import type { Command } from "../command.ts";
import { exitCodes } from "../command-io.ts";
import { columns } from "../print.ts";
import { jsonFlag } from "../json-flag.ts";
import type { Printer } from "../print.ts";
import { startUp, startUpFlags } from "../start-up.ts";

export const doctorSandboxCommand: Command = {
  usage: "[--json]",
  description:
    "Starts a command in each sandbox that this operating system has, and prints which sandboxes work, which one commands\n" +
    "run in, and how plan mode is enforced. Exits with 1 when commands are refused or no sandbox works.",
  flags: { ...jsonFlag, ...startUpFlags },
  arguments: { min: 0, max: 0 },
  async run({ args, io, print, services }) {
    const report = await services.probeSandbox(startUp(args, io, print));
    if (args.has("json")) print.json(asData(report));
    else printReport(report, print);
    const works = report.trials.some(({ problem }) => problem === undefined);
    return works && report.refusal === null ? exitCodes.done : exitCodes.failed;
  },
};

function asData({ settings, trials, used, refusal, planMode }: SandboxReport): object {
  const { mode, hasNetwork, writable, backend } = settings;
  return {
    settings: {
      mode,
      network: hasNetwork ? "on" : "off",
      write: writable,
      backend: backend ?? "auto",
    },
    sandboxes: trials.map((trial) => ({
      name: trial.name,
      network: trial.hasNetwork ? "on" : "off",
      works: trial.problem === undefined,
      problem: trial.problem ?? null,
    })),
    used,
    refusal,
    planMode,
  };
}

function printReport(
  { settings, trials, used, refusal, planMode }: SandboxReport,
  print: Printer,
): void {
  const rows = trials.map(
    ({ name, hasNetwork, problem }) =>
      [`${name}, ${hasNetwork ? "with" : "without"} the network`, problem ?? "works"] as const,
  );
  print.line(
    rows.length === 0
      ? "scorpiox-code has no sandbox for this operating system."
      : columns(rows).join("\n"),
  );
  const { mode, hasNetwork } = settings;
  print.line(
    `\nSANDBOX=${mode}, SANDBOX_NETWORK=${hasNetwork ? "on" : "off"}: ${fate(used, refusal)}`,
  );
  print.line(`Plan mode: ${planMode.join(" ")}`);
}

function fate(used: string | null, refusal: string | null): string {
  if (refusal !== null) return `commands are refused. ${refusal}`;
  return used === null ? "commands run without a sandbox." : `commands run in ${used}.`;
}
