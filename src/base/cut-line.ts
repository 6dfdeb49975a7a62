import { formatCount } from "./amount-text.ts";

/** How much of something is not shown. */
export interface LeftOut {
  readonly amount: number;
  /** Of how much. */
  readonly total: number;
  readonly unit: "bytes" | "characters";
}

/** Where the whole of something that was cut is. */
interface Whole {
  readonly path: string;
  /** Why the file does not hold everything; absent or null when it does. */
  readonly problem?: string | null;
  /** The background task by which it is read on. */
  readonly taskId?: number | undefined;
  /** Its resource. A link beside the text has it too, which several clients do not show their model. */
  readonly uri?: string | undefined;
}

/** The line between the two ends of something that was cut: how much is missing, and every way to it. */
export function cutLine({ amount, total, unit }: LeftOut, whole: Whole | undefined): string {
  const missing = `${formatCount(amount)} of ${formatCount(total)} ${unit} are left out here`;
  if (whole === undefined)
    return `[... ${missing}; the whole could not be saved: ask for less ...]`;
  const { path, problem, taskId, uri } = whole;
  const way =
    taskId === undefined ? "The" : `ReadBgOutput with task_id ${taskId} reads on from here; the`;
  const fault = typeof problem === "string" ? ` (${problem})` : "";
  const resource = uri === undefined ? "" : ` and can be read as ${uri}`;
  return `[... ${missing}. ${way} whole output is in ${path}${fault}${resource} ...]`;
}
