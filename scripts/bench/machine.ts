import os from "node:os";

/** What the figures of a run depend on besides the servers. */
export interface Machine {
  readonly cores: number;
  readonly processor: string;
  readonly architecture: string;
  readonly kernel: string;
  readonly bun: string;
  /** Empty when Node is not installed. */
  readonly node: string;
  /** Load averages over 1, 5 and 15 minutes when the run began. */
  readonly load: readonly number[];
}

export function describeMachine(): Machine {
  const processors = os.cpus();
  return {
    cores: processors.length,
    processor: processors[0]?.model.trim() ?? "unknown processor",
    architecture: os.arch(),
    kernel: `${os.type()} ${os.release().split("-")[0]}`,
    bun: Bun.version,
    node: nodeVersion(),
    load: os.loadavg(),
  };
}

/** More work waits than half of the cores can do: the figures will be noisy. */
export function isBusy(machine: Machine): boolean {
  return (machine.load[0] ?? 0) > machine.cores / 2;
}

function nodeVersion(): string {
  const node = Bun.which("node");
  if (node === null) return "";
  return Bun.spawnSync([node, "--version"]).stdout.toString().trim().replace(/^v/, "");
}
