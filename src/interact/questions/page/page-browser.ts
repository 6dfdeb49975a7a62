/** Opens pages in front of the user. */
export interface PageBrowser {
  /** False: there is no screen, no browser, or it was switched off. */
  readonly canOpen: boolean;
  /** Resolves with false when it could not be opened, which may be known at once, late or never. */
  open(url: string): Promise<boolean>;
}
