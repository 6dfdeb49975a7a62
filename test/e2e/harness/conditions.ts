/** A wait that ends sooner would tell of busy processors, not of a fault. */
const patienceMs = 45_000;

/** Waits until `probe` gives something; looks again every few milliseconds. */
export async function eventually<T>(
  what: string,
  probe: () => T | undefined | false | Promise<T | undefined | false>,
  timeoutMs = patienceMs,
): Promise<T> {
  const patientMs = Math.max(timeoutMs, patienceMs);
  const deadline = performance.now() + patientMs;
  for (;;) {
    const value = await probe();
    if (value !== undefined && value !== false) return value;
    if (performance.now() > deadline) throw new Error(`not within ${patientMs} ms: ${what}`);
    await Bun.sleep(10);
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
