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
