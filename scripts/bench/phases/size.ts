import { pack } from "../../build/archives.ts";
import { interleave } from "./phase.ts";
import type { Phase } from "./phase.ts";

const bytesPerMb = 1e6;

/** What an executable takes on a disk, and packed as a release packs it. MB of a million bytes, as downloads are counted. */
export const size: Phase = async (participants, { packsExecutable }) => {
  const compiled = participants.filter(({ adapter: { build } }) => {
    return build === "given" || build === "bun" || build === "least";
  });
  await interleave("size", compiled, 1, async (participant) => {
    const file = Bun.file(participant.program);
    participant.record("executableMb", file.size / bytesPerMb);
    if (participant.name !== "scorpiox" || !packsExecutable) return;
    const packed = await pack(await file.bytes());
    participant.record("zstMb", packed.zst.length / bytesPerMb);
    participant.record("gzMb", packed.gz.length / bytesPerMb);
  });
};
