import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";

/** Counts the processor time of processes and of all that they start, those that leave their parent included. */
export interface ControlGroup {
  readonly folder: string;
  secondsUsed(): number;
  /** No process is in it any more. */
  isEmpty(): boolean;
  remove(): void;
}

/** A new group, of either version of control groups; undefined where that takes other rights, or another system. */
export function controlGroup(name: string): ControlGroup | undefined {
  const [first, second] = ["/sys/fs/cgroup/cpuacct", "/sys/fs/cgroup"];
  const folder = `${existsSync(first) ? first : second}/${name}`;
  try {
    mkdirSync(folder);
    writeFileSync(`${folder}/cgroup.procs`, "");
  } catch {
    if (!existsSync(`${folder}/cgroup.procs`)) return undefined;
  }
  const secondsUsed = (): number => {
    if (existsSync(`${folder}/cpuacct.usage`)) {
      return Number(readFileSync(`${folder}/cpuacct.usage`, "utf8")) / 1e9;
    }
    const usec = /^usage_usec (\d+)/.exec(readFileSync(`${folder}/cpu.stat`, "utf8"))?.[1];
    return Number(usec) / 1e6;
  };
  const isEmpty = (): boolean => readFileSync(`${folder}/cgroup.procs`, "utf8") === "";
  const remove = (): void => {
    try {
      rmdirSync(folder);
    } catch {
      console.error(`processes are left in ${folder}`);
    }
  };
  return { folder, secondsUsed, isEmpty, remove };
}

/** Words before a command that has it start in the group. */
export function joined({ folder }: ControlGroup): readonly string[] {
  return ["sh", "-c", 'echo $$ >"$0" && exec "$@"', `${folder}/cgroup.procs`];
}
