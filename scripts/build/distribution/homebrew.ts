import { findTarget } from "../targets.ts";
import { downloadUrl, homepageOf, type ReleaseFacts, ways } from "./ways.ts";

/** Where Homebrew chooses, and the target for it. */
const choices = [
  ["macos", "arm", "darwin-arm64"],
  ["macos", "intel", "darwin-x64"],
  ["linux", "arm", "linux-arm64"],
  ["linux", "intel", "linux-x64"],
] as const;

/** `scorpiox-code.rb` for a tap. @param sums the hash of each file of the release, by its name */
export function homebrewFormula(facts: ReleaseFacts, sums: ReadonlyMap<string, string>): string {
  const systems = ["macos", "linux"].map((system) => {
    const blocks = choices
      .filter(([of]) => of === system)
      .map(([, processor, name]) => cpuBlock(facts, sums, processor, name));
    return `  on_${system} do\n${blocks.join("")}  end\n`;
  });
  return `class ScorpioxCode < Formula
  desc "Working tools for AI clients over the Model Context Protocol"
  homepage "${homepageOf(facts)}"
  version "${facts.version}"
  license "${facts.license}"

${systems.join("\n")}
  def install
    bin.install "scorpiox-code"
    man1.install "scorpiox-code.1"
    bash_completion.install "completions/scorpiox-code.bash" => "scorpiox-code"
    zsh_completion.install "completions/_scorpiox-code"
    fish_completion.install "completions/scorpiox-code.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/scorpiox-code version")
  end
end
`;
}

function cpuBlock(
  facts: ReleaseFacts,
  sums: ReadonlyMap<string, string>,
  processor: string,
  name: string,
): string {
  const target = findTarget(name);
  const file = target === undefined ? "" : ways["tar.gz"].file(target, facts.version);
  const sum = sums.get(file);
  // A build of some of the targets has a formula for these.
  if (sum === undefined) return "";
  return `    on_${processor} do
      url "${downloadUrl(facts, file)}"
      sha256 "${sum}"
    end
`;
}
