import type { ServerFeatures } from "../../calls/features.ts";
import type { ServedConnection } from "./server-context.ts";

type FeatureName = "resources" | "prompts" | "completion" | "skills";

/** A feature for the handlers of its methods, which exist only where it is offered (`Method.needs`). */
export function featureOf<Name extends FeatureName>(
  { server }: ServedConnection,
  name: Name,
): NonNullable<ServerFeatures[Name]> {
  const feature = server.features[name];
  if (feature === undefined) throw new Error(`${name} is not offered, and yet it was asked for`);
  return feature;
}
