/** The parts of the product that `doctor` looks at, in the order of its report. */
export const areas = [
  "program",
  "configuration",
  "clients",
  "start",
  "servers",
  "hub",
  "browser",
  "search",
  "network",
  "sandbox",
  "disk",
] as const;

export type Area = (typeof areas)[number];

/** One result of an examination. */
export interface Finding {
  readonly area: Area;
  /** A `fault` keeps something from working; a `note` may be as the user wants it. */
  readonly state: "ok" | "note" | "fault";
  /** A sentence without a full stop. */
  readonly text: string;
  /** The next step, usually a command. Every fault has one. */
  readonly remedy?: string;
  /** The facts behind it, for `--json`. */
  readonly facts?: Readonly<Record<string, unknown>>;
  /** Carries out the remedy: it changes nothing that somebody may have meant. */
  readonly fix?: () => void | Promise<void>;
}

/** The remedy for a file that cannot be used, of which `message` tells. */
export function fileRemedy(message: string, otherwise: string): string {
  const [, file] = /^(.+?): this file may not be read by this user/.exec(message) ?? [];
  return file === undefined ? otherwise : ownRemedy(file);
}

/** The command that gives a file or folder back to the user, after `sudo` has made it root's. */
export function ownRemedy(path: string): string {
  return `sudo chown -R "$(id -u)" ${path}`;
}

export function ok(area: Area, text: string): Finding {
  return { area, state: "ok", text };
}

export function note(area: Area, text: string, remedy?: string): Finding {
  return { area, state: "note", text, ...(remedy !== undefined && { remedy }) };
}

export function fault(
  area: Area,
  text: string,
  remedy: string,
  fix?: () => void | Promise<void>,
): Finding {
  return { area, state: "fault", text, remedy, ...(fix !== undefined && { fix }) };
}
