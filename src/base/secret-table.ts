/** Recognizes secrets by name or shape, for all code that shows, writes or warns of them. */

/** Names that say it of the words beside them, in running text too: `API_KEY=…`, `--password …`. */
const plainNames =
  /token|secret|passw(?:or)?d|passphrase|api[\s_-]?key|access[\s_-]?key|private[\s_-]?key|credentials?/i;

/** Names that say it of a setting that has the name, where `key` or `auth` in a sentence would say nothing. */
const settingNames =
  /TOKEN|KEY|SECRET|PASS|AUTH|CREDENTIAL|SIGNATURE|BEARER|^SIG$|(?<!^|^OLD)PWD$/i;

/** Of an option that says where a secret is or how it is used: `--token-file`, `--auth-mode`. */
const placeNames = /(?:mode|type|file|path|dir|url|uri|name|host|port|method|server)$/i;

/** Of code hosts, clouds, model providers, chat, shops; JWTs; keys in PEM. Each has an example in the tests. */
const shapes: readonly string[] = [
  String.raw`gh[oprsu]_[A-Za-z\d]{12,}`,
  String.raw`github_pat_\w{12,}`,
  String.raw`gl(?:pat|dt|rt|ptt|ft|soat|imt|agent|cbt)-[\w-]{12,}`,
  String.raw`xox[a-z]-[\w-]{10,}`,
  String.raw`xapp-[\w-]{10,}`,
  String.raw`[sp]k-[\w-]{12,}`,
  String.raw`[prs]k_(?:live|test)_\w{10,}`,
  String.raw`gsk_\w{16,}`,
  String.raw`xai-\w{16,}`,
  String.raw`whsec_[\w+/=]{16,}`,
  String.raw`A[KS]IA[A-Z\d]{12,}`,
  String.raw`AIza[\w-]{20,}`,
  String.raw`ya29\.[\w-]{8,}`,
  String.raw`npm_[A-Za-z\d]{20,}`,
  String.raw`pypi-[\w-]{12,}`,
  String.raw`hf_[A-Za-z\d]{12,}`,
  String.raw`ntn_\w{16,}`,
  String.raw`lin_api_\w{16,}`,
  String.raw`figd_[\w-]{16,}`,
  String.raw`sbp_\w{16,}`,
  String.raw`dop_v1_\w{16,}`,
  String.raw`shp(?:at|ss|ca|pa)_\w{16,}`,
  String.raw`SG\.[\w-]{12,}\.[\w-]{12,}`,
  String.raw`tvly-[\w-]{12,}`,
  String.raw`(?<!-)eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*`,
];

/** Global: for `replaceAll`. */
export const tokenShapes = new RegExp(
  String.raw`\b(?:${shapes.join("|")})|-----BEGIN [A-Z ]*PRIVATE KEY-----[^]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)`,
  "g",
);

/** True for the name of a variable, a parameter or an option that commonly holds a secret (CF16). */
export function isSecretName(name: string): boolean {
  return settingNames.test(name);
}

/** True for the name of what says where a secret is, or how it is used: `CREDENTIALS_FILE`. */
export function isPlaceName(name: string): boolean {
  return placeNames.test(name);
}

/** True for a name whose value is a secret, whatever it is. */
export function saysSecret(word: string): boolean {
  return plainNames.test(word);
}

/** True for `--api-key` and the like, whose value is a secret. */
export function isSecretFlag(word: string | undefined): boolean {
  return (
    word !== undefined && /^--?[\w.-]+$/.test(word) && isSecretName(word) && !placeNames.test(word)
  );
}
