/** True for the name of a variable that commonly holds a secret (CF16). */
export function isSecretName(name: string): boolean {
  return /TOKEN|KEY|SECRET|PASS|AUTH/i.test(name);
}
