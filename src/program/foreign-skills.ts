import type { SkillProvider } from "../gateway/features.ts";
import type { LazyGateway } from "./lazy-gateway.ts";

/** `own`, with the skills of other servers; nothing is loaded where there are none. */
export function withForeignSkills(
  own: SkillProvider,
  gateway: Pick<LazyGateway, "skills">,
): SkillProvider {
  const joined = async (): Promise<SkillProvider> => (await gateway.skills())?.join(own) ?? own;
  return {
    list: async (client) => (await joined()).list(client),
    directory: async (uri, client) => (await joined()).directory(uri, client),
  };
}
