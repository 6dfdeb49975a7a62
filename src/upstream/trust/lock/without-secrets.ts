import { isSecretName } from "../../config/secret-names.ts";

const hiddenValue = "***";

/** Beside names of variables: names of options and of parts of an address. */
const secretName = /credential|signature|^sig$/i;
/** Keys of well-known services, and what comes in an `Authorization` header. */
const secretValue =
  /^(?:bearer |basic )|^(?:sk|pk|rk|ghp|gho|ghs|ghu|github_pat|glpat|xox[a-z]|AKIA|AIza|ya29|npm|hf)[-_][\w.-]{8,}|^eyJ[\w-]+\.eyJ/i;

/** Arguments as they may be printed and committed: values of `--token x`, `--api-key=x` and the like are left out. */
export function withoutSecrets(args: readonly string[]): readonly string[] {
  return args.map((argument, index) => {
    const before = args[index - 1] ?? "";
    const [, name, value] = /^(-{0,2}[\w.-]+)=(.+)$/s.exec(argument) ?? [];
    if (name !== undefined && value !== undefined) {
      return isSecret(name, value) ? `${name}=${hiddenValue}` : argument;
    }
    const isValue = before.startsWith("-") && !before.includes("=") && !argument.startsWith("-");
    if (isSecret(isValue ? before : "", argument)) return hiddenValue;
    return /^https?:\/\//i.test(argument) ? withoutSecretsInUrl(argument) : argument;
  });
}

/** The address without a password and without the values of what looks like a key. */
export function withoutSecretsInUrl(url: string): string {
  return url
    .replace(/^([a-z][\w+.-]*:\/\/)[^/?#@]*@/i, `$1${hiddenValue}@`)
    .replace(/([?&])([^=&#]+)=([^&#]*)/g, (whole, mark: string, name: string, value: string) => {
      return isSecret(name, value) ? `${mark}${name}=${hiddenValue}` : whole;
    });
}

/** A variable's name is not its value. */
function isSecret(name: string, value: string): boolean {
  if (value === "" || /^\$\{[^}]*\}$/.test(value)) return false;
  return isSecretName(name) || secretName.test(name) || secretValue.test(value);
}
