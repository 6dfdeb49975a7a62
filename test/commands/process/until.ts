/** Resolves when `condition` holds; looks again every few ms. The test's own timeout bounds it. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await Bun.sleep(5);
}
