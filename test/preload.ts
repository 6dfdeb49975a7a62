/**
 * Keeps `bun test` from spinning: while it waits for nothing but timers that keep no process alive (`unref`), as most of the
 * product's are, it looks for events as fast as it can (Bun 1.4.5), which takes a processor from the other tests. One timer
 * that keeps it alive ends that; it still ends after the last test.
 */
setInterval(() => {}, 2 ** 31 - 1);
