import { targets } from "../targets.ts";
import { archiveFolder } from "./companions.ts";
import { debianCpu, homepageOf, isInImage, type ReleaseFacts, ways } from "./ways.ts";

/**
 * The `Containerfile` of the image, to be built in the folder of the release. The program is below /opt/scorpiox-code, by which
 * `update` knows that it is in an image. A shell and certificates come from the base.
 */
export function containerfile(facts: ReleaseFacts): string {
  const stages = targets.filter(isInImage).map((target) => {
    const file = ways["tar.gz"].file(target, facts.version);
    return `FROM base AS ${debianCpu(target)}\nADD ${file} /opt/\n`;
  });
  return `ARG BASE=debian:bookworm-slim
ARG TARGETARCH

FROM \${BASE} AS base
RUN apt-get update \\
 && apt-get install -y --no-install-recommends ca-certificates git bubblewrap \\
 && rm -rf /var/lib/apt/lists/* \\
 && useradd --create-home --uid 1000 you

${stages.join("\n")}
FROM \${TARGETARCH}
LABEL org.opencontainers.image.title="scorpiox-code" \\
      org.opencontainers.image.version="${facts.version}" \\
      org.opencontainers.image.source="${homepageOf(facts)}" \\
      org.opencontainers.image.licenses="${facts.license}"
ENV PATH=/opt/${archiveFolder}:/usr/local/bin:/usr/bin:/bin
USER you
WORKDIR /home/you
ENTRYPOINT ["/opt/${archiveFolder}/scorpiox-code"]
`;
}
