/** Where secrets are kept that entries of configuration name: `${keyring:NAME}` and `${input:NAME}`. */
export interface SecretStore {
  /**
   * The secret of this name; undefined when there is none.
   * @throws when the store cannot be read: locked, or refused by the user
   */
  get(name: string): Promise<string | undefined>;
}
