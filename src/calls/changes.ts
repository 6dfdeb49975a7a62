/** Something that clients may have cached or subscribed to is not what it was. */
export type Change =
  /** `clientId`: only this client can see it; absent = all can. */
  | { readonly kind: "tools" | "prompts" | "resources"; readonly clientId?: string }
  | { readonly kind: "resource"; readonly uri: string; readonly clientId?: string };

export type ChangeListener = (change: Change) => void;

/** What the server offers changes; connections and subscriptions listen. Lives as long as the process. */
export class Changes {
  readonly #listeners = new Set<ChangeListener>();

  /** Returns how to stop listening. */
  listen(listener: ChangeListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** False while there is nobody to be told. */
  get isHeard(): boolean {
    return this.#listeners.size > 0;
  }

  readonly emit = (change: Change): void => {
    for (const listener of this.#listeners) listener(change);
  };
}
