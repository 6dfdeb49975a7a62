import { test } from "bun:test";

export const isWindows = process.platform === "win32";
export const isRoot = process.getuid?.() === 0;

/** For promises that need signals, process groups or a POSIX shell. */
export const posixTest = test.skipIf(isWindows);

/** Real processes on a busy machine: a test that takes longer waits for something that never comes. */
export const testMsMax = 60_000;
