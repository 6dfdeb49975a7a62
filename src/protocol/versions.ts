/** Released revisions with the `initialize` handshake, oldest first. */
export const legacyVersions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] as const;
/** Revisions without a handshake: each request carries its version and capabilities. */
export const modernVersions = ["2026-07-28"] as const;

export type LegacyVersion = (typeof legacyVersions)[number];
export type ModernVersion = (typeof modernVersions)[number];
export type ProtocolVersion = LegacyVersion | ModernVersion;

/** The answer to a client that asks for any other version in `initialize`. */
export const legacyVersionLatest: LegacyVersion = "2025-11-25";

export function isLegacyVersion(value: unknown): value is LegacyVersion {
  return (legacyVersions as readonly unknown[]).includes(value);
}

export function isModernVersion(value: unknown): value is ModernVersion {
  return (modernVersions as readonly unknown[]).includes(value);
}

/** True when `version` is `since` or newer; revision names sort by date. */
export function isAtLeast(version: ProtocolVersion, since: ProtocolVersion): boolean {
  return version >= since;
}
