interface Stats {
  readonly mode: number;
  readonly uid: number;
}

/** Why a file or folder that everybody may write to cannot be trusted. Windows has no such bits. */
export function faultOfWriters(
  { mode }: Pick<Stats, "mode">,
  platform: NodeJS.Platform = process.platform,
): string | undefined {
  if (platform === "win32" || (mode & 0o002) === 0) return undefined;
  return "everybody may write to it: chmod o-w";
}

/** Why a file or folder of another user cannot be trusted; root's can. */
export function faultOfOwner(
  { uid }: Pick<Stats, "uid">,
  ownUid: number | undefined = process.getuid?.(),
): string | undefined {
  if (ownUid === undefined || uid === ownUid || uid === 0) return undefined;
  return "it belongs to another user: chown it to yourself";
}
