/** Block elements: they have lines of their own. */
const blocks = new Set(
  (
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure " +
    "footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li listing main menu nav ol optgroup option p plaintext " +
    "pre search section summary table tbody td tfoot th thead tr ul xmp"
  ).split(" "),
);

/** Elements whose content is not for readers, or cannot be shown as text. */
const unread = new Set(
  (
    "applet area base basefont canvas col colgroup datalist dialog frame frameset head keygen link map meta meter " +
    "noembed noframes optgroup option param portal progress rp script select slot source style svg template textarea " +
    "title track"
  ).split(" "),
);

export function isBlockName(name: string): boolean {
  return blocks.has(name);
}

export function isUnreadName(name: string): boolean {
  return unread.has(name);
}

/** A table by the names of elements; a row has one or more of them, with spaces between. */
export function byName<Value>(
  rows: readonly (readonly [names: string, value: Value])[],
): ReadonlyMap<string, Value> {
  return new Map(
    rows.flatMap(([names, value]) => names.split(" ").map((name) => [name, value] as const)),
  );
}
