import type { Icon } from "./icon.ts";
import { isAtLeast, type ProtocolVersion } from "./versions.ts";

/** The icons that may be shown: `https:` and `data:` sources, from 2025-11-25 on (docs/spec/modern.md#tools). */
export function shapeIcons(
  icons: readonly Icon[] | undefined,
  version: ProtocolVersion,
): readonly Icon[] | undefined {
  if (icons === undefined || !isAtLeast(version, "2025-11-25")) return undefined;
  const shown = icons.filter(({ src }) => /^(?:https|data):/i.test(src));
  return shown.length === 0 ? undefined : shown;
}
