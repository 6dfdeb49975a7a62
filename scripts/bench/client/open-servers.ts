/** All server processes of the run that live, so that none outlives it. */
const openServers = new Set<Closable>();

interface Closable {
  close(): unknown;
}

export function keepTrackOf(server: Closable): void {
  openServers.add(server);
}

export function forget(server: Closable): void {
  openServers.delete(server);
}

/** For the end of the run, however it comes. */
export function closeAllServers(): void {
  for (const server of openServers) server.close();
}
