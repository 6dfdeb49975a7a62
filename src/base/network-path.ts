/**
 * True for a path by which Windows goes to another machine, and tells it who the user is, as soon as anybody looks
 * whether something is there: `\\host\share\…`.
 */
export function isNetworkPath(path: string, platform: NodeJS.Platform = process.platform): boolean {
  return platform === "win32" && /^[/\\]{2}/.test(path);
}
