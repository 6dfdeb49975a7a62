import type { ProgressUpdate } from "../call.ts";

/** How far another server says that it is. */
type Step = readonly [progress: number, total: number | undefined, message: string | undefined];

export function progressUpdate(...[progress, total, message]: Step): ProgressUpdate {
  return {
    progress,
    ...(total === undefined ? {} : { total }),
    ...(message === undefined ? {} : { message }),
  };
}

/** The same in words. */
export function stepText(...[progress, total, message = ""]: Step): string {
  const count = total === undefined ? `${progress}` : `${progress} of ${total}`;
  return message === "" ? count : `${count}: ${message}`;
}
