import { booleanValue, type ConfigKey } from "./value-types.ts";

export const policyCautionsKey: ConfigKey<boolean> = {
  name: "POLICY_CAUTIONS",
  type: booleanValue,
  default: true,
  help: "Ask before commands that are usually a mistake, such as rm -rf / or git push --force.",
  project: "never",
  published: false,
};

export const auditKey: ConfigKey<boolean> = {
  name: "AUDIT",
  type: booleanValue,
  default: true,
  help: "Log each call to ~/.scorpiox/audit/audit.jsonl, with a digest of its arguments.",
  project: "never",
  published: false,
};

export const auditCommandsKey: ConfigKey<boolean> = {
  name: "AUDIT_COMMANDS",
  type: booleanValue,
  default: false,
  help: "Also log the text of commands, with anything that looks like a secret removed.",
  project: "never",
  published: false,
};

export const policyKeys: readonly ConfigKey[] = [policyCautionsKey, auditKey, auditCommandsKey];
