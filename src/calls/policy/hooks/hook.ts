/** Whose hooks folder it is. A project's is other people's text: its hooks run after approval only. */
export type HookScope = "user" | "project";

/** How a file is started: by itself, or by the program that its extension stands for. */
export type HookLaunch = "direct" | "shell" | "python" | "powershell" | "batch";

/** A file that runs for an event. */
export interface Hook {
  readonly eventName: string;
  /** File name. */
  readonly name: string;
  readonly scope: HookScope;
  /** The hooks folder: `SX_HOOKS_DIR`. */
  readonly hooksDir: string;
  /** Absolute path, free of symbolic links. */
  readonly path: string;
  readonly launch: HookLaunch;
  /** Runs before the others and is waited for. */
  readonly isSync: boolean;
  /** Why it may not be run, for a guard: it counts as one that cannot be started, and stops what it guards. */
  readonly fault?: string;
}

/** What was found in a hooks folder. */
export type HookFinding =
  | { readonly kind: "hook"; readonly hook: Hook }
  /** `disabled`: by its name. `refused`: it is not run, for this reason. */
  | {
      readonly kind: "disabled" | "refused";
      readonly eventName: string;
      readonly name: string;
      readonly scope: HookScope;
      readonly path: string;
      readonly reason: string;
      /** Of what is refused: a guard, or a folder that may hold one. It stops what it would have been asked about. */
      readonly guard?: Hook;
    };

/** A hooks folder, which need not be there. */
export interface HooksFolder {
  readonly scope: HookScope;
  readonly hooksDir: string;
}

/** What names a hook within its hooks folder. */
export function hookKey({ eventName, name }: Pick<Hook, "eventName" | "name">): string {
  return `${eventName}/${name}`;
}
