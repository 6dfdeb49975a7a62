/** Who has subscribed to what: a new Worker is told of it. */
export class KeptSubscriptions {
  readonly #clients = new Map<string, Set<string>>();

  add(uri: string, clientId: string): void {
    const clients = this.#clients.get(uri) ?? new Set();
    this.#clients.set(uri, clients.add(clientId));
  }

  remove(uri: string, clientId: string): void {
    const clients = this.#clients.get(uri);
    if (clients?.delete(clientId) === true && clients.size === 0) this.#clients.delete(uri);
  }

  removeClient(clientId: string): void {
    for (const uri of this.#clients.keys()) this.remove(uri, clientId);
  }

  *[Symbol.iterator](): Generator<readonly [uri: string, clientId: string], void> {
    for (const [uri, clients] of this.#clients) {
      for (const clientId of clients) yield [uri, clientId];
    }
  }
}
