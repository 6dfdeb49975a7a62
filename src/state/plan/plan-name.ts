/** A file name is read at a glance, and other parts of a path need room too. */
const slugCharsMax = 48;

/** The name of a new plan's file: `<date>-<slug>.md`, in the date of this machine's time zone. */
export function planFileName(goal: string, now: Date, attempt: number): string {
  const suffix = attempt === 0 ? "" : `-${attempt + 1}`;
  return `${localDate(now)}-${slugOf(goal)}${suffix}.md`;
}

/** Letters and digits of any script, joined by hyphens; a word is not cut unless it is the only one. */
function slugOf(goal: string): string {
  const words =
    goal
      .normalize("NFKC")
      .toLowerCase()
      .match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  let slug = "";
  for (const word of words) {
    const longer =
      slug === "" ? Array.from(word).slice(0, slugCharsMax).join("") : `${slug}-${word}`;
    if (Array.from(longer).length > slugCharsMax) break;
    slug = longer;
  }
  return slug === "" ? "plan" : slug;
}

function localDate(now: Date): string {
  const parts = [now.getFullYear(), now.getMonth() + 1, now.getDate()];
  return parts.map((part) => String(part).padStart(2, "0")).join("-");
}
