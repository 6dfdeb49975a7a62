/** A port of this machine that nobody listens on just now. */
export function freePort(): number {
  const socket = { data: () => {} };
  using listener = Bun.listen({ hostname: "127.0.0.1", port: 0, socket });
  return listener.port;
}

/** Waits until an HTTP server answers at the origin of `url`, whatever it says. */
export async function answering(url: string): Promise<void> {
  for (;;) {
    try {
      const response = await fetch(new URL("/none", url));
      await response.body?.cancel();
      return;
    } catch {
      await Bun.sleep(20);
    }
  }
}
