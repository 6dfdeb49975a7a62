/** How fetching what a server is started from went. */
export type InstallOutcome =
  | {
      readonly kind: "installed";
      /** False: it was there. */
      readonly isNew: boolean;
      /** How it will be started, where that is not the command of its entry. */
      readonly startedAs?: string;
    }
  | { readonly kind: "failed"; readonly reason: string };
