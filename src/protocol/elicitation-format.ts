/** Whether a text has one of the formats that a form may ask for; an unknown format asks for nothing. */
export function hasFormat(text: string, format: unknown): boolean {
  switch (format) {
    case "email":
      return /^[^\s@]+@[^\s@]+$/.test(text);
    case "uri":
      return URL.canParse(text);
    case "date":
      return isDate(text);
    case "date-time":
      return isDateTime(text);
    default:
      return true;
  }
}

/** `2026-02-28`, a day that there is. */
function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** RFC 3339, with a zone; a leap second is one. */
function isDateTime(text: string): boolean {
  const [, date = "", hour, minute, second] =
    /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})$/.exec(
      text,
    ) ?? [];
  return isDate(date) && Number(hour) < 24 && Number(minute) < 60 && Number(second) <= 60;
}
