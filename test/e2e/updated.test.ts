import { expect, setDefaultTimeout, test } from "bun:test";
import { copyFileSync, renameSync, writeFileSync } from "node:fs";

import { fields, sampleBmp } from "../tools/images/sample-images.ts";
import { programText } from "../update/program-text.ts";
import { ensureBuilt, productBinary } from "./harness/binary.ts";
import { textOf } from "./harness/messages.ts";
import { testMsMax } from "./harness/platform.ts";
import { Server } from "./harness/server.ts";
import { TempFolder } from "./harness/temp-folder.ts";

setDefaultTimeout(testMsMax);

test.skipIf(process.platform !== "linux")(
  "[IN12] a server whose program was replaced reads images with the program that it is",
  async () => {
    ensureBuilt(productBinary);
    using folder = new TempFolder();
    const binary = folder.at("scorpiox-code");
    copyFileSync(productBinary, binary);
    await using server = new Server({ binary });
    await server.initialize();
    // A later version may have other arguments for its own processes, or none.
    renameSync(folder.write("next", programText("99.0.0"), 0o700), binary);
    const path = server.home.at("picture.bmp");
    writeFileSync(path, sampleBmp(fields(6, 4)));
    expect(textOf(await server.call("ReadImage", { file_path: path }))).toContain(
      "converted to PNG",
    );
  },
);
