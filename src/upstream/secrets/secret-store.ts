/** Where secrets are kept that entries of configuration name: `${keyring:NAME}` and `${input:NAME}`. */
export interface SecretStore {
  /**
   * The secret of this name; undefined when there is none.
   * @throws when the store cannot be read: locked, or refused by the user
   */
  get(name: string): Promise<string | undefined>;
}

/** Where a secret lies. */
export type SecretPlace = "keychain" | "file";

/** A store that can be changed. All methods but `get` throw AppError `system` when the store refuses. */
export interface WritableSecretStore extends SecretStore {
  /** Where it was put. */
  set(name: string, value: string): Promise<SecretPlace>;
  /** False: there was none. */
  remove(name: string): Promise<boolean>;
}
