/** A wait that ends sooner would tell of busy processors, not of a fault. */
const patienceMs = 45_000;
/** However long a look takes, and however long it was looked. */
const lookAgainMsMax = 150;

/**
 * Waits until `probe` gives something; looks again every few milliseconds, and less often where a look takes long or was
 * in vain for long: a request or a list of all processes takes its time from what is waited for.
 */
export async function eventually<T>(
  what: string,
  probe: () => T | undefined | false | Promise<T | undefined | false>,
  timeoutMs = patienceMs,
): Promise<T> {
  const patientMs = Math.max(timeoutMs, patienceMs);
  const startedAt = performance.now();
  for (;;) {
    const lookedAt = performance.now();
    const value = await probe();
    if (value !== undefined && value !== false) return value;
    const now = performance.now();
    const waitedMs = now - startedAt;
    if (waitedMs > patientMs) throw new Error(`not within ${patientMs} ms: ${what}`);
    await Bun.sleep(Math.min(Math.max(10, 3 * (now - lookedAt), waitedMs / 10), lookAgainMsMax));
  }
}

/** `promise`, or a failure that says what was waited for. */
export async function within<T>(what: string, timeoutMs: number, promise: Promise<T>): Promise<T> {
  const patientMs = Math.max(timeoutMs, patienceMs);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not within ${patientMs} ms: ${what}`)), patientMs);
  });
  try {
    return await Promise.race([promise, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
