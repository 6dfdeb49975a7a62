/** The absolute path that a `file:` URI of this machine names; undefined for all others. */
export function pathOfFileUri(uri: string): string | undefined {
  if (!/^file:\/\//i.test(uri)) return undefined;
  try {
    const path = Bun.fileURLToPath(uri);
    return path.includes("\0") ? undefined : path;
  } catch {
    return undefined;
  }
}
