/** What there is in a PATH that nobody has set up: that of a desktop or of a service manager. */
const systemFolders = new Set([
  "/bin",
  "/sbin",
  "/usr/bin",
  "/usr/sbin",
  "/usr/local/bin",
  "/usr/local/sbin",
  "/usr/games",
  "/usr/local/games",
  "/snap/bin",
]);

/** True for the PATH of a process that was started by a desktop and not from a shell. */
export function isBarePath(path: string | undefined): boolean {
  return (path ?? "").split(":").every((folder) => folder === "" || systemFolders.has(folder));
}
