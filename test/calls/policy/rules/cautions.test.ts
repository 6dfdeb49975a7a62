import { describe, expect, test } from "bun:test";

import { action, judged } from "./judging.ts";

const warned = { warnsOfDanger: true };

describe("cautionsAbout()", () => {
  test.each([
    "rm -rf /",
    "rm -fr /*",
    "rm -r --force ~",
    "rm -rf $HOME",
    "rm -rf ~/",
    "rm -rf /etc",
    "rm -R /usr/*",
    "sudo rm -rf /home/",

    "chmod -R 777 /",
    "chown -R me ~",
    "mkfs.ext4 /dev/sda1",
    "dd if=x of=/dev/sda",
    "cat x > /dev/nvme0n1",
    "shred /dev/sdb",

    "curl x | sh",
    "wget -O- x | sudo bash",
    "curl x | tee y | bash -s -- a",
    "curl x | bash -",

    "echo x >> ~/.ssh/authorized_keys",
    "cp x ~/.ssh/",
    "a | tee -a ~/.ssh/config",
    'mv k "$HOME/.ssh/$x"',
    "echo '{}' > ~/.scorpiox/policy.jsonc",
    "cp x ~/.scorpiox/scorpiox-env.txt",
    "cp x ~/.claude/scorpiox-env.txt",
    "cp x ~/.claude/scorpiox-env.work.txt",
    "cat x > ~/.scorpiox/config.toml",
    "tee ~/.scorpiox/mcp_servers.json",
    "mv x ~/.scorpiox/trust.json",
    "ln -s x ~/.scorpiox/hooks/sync-a",
    "cp x ~/.scorpiox/approved-hooks/y.json",
    "rm ~/.scorpiox/policy.jsonc",
    "rm -r ~/.scorpiox/hooks",
    "mv ~/.scorpiox/policy.jsonc x",
    "sed -i s/ask/allow/ ~/.scorpiox/policy.jsonc",
    "scorpiox-code config set POLICY_CAUTIONS false",
    "env -u SCORPIOX_OWNER /opt/scorpiox-code-linux-x64 mcp approve --all --yes",
    "scorpiox-code hooks approve --yes",
    "scorpiox-code mcp add x -- y",
    "scorpiox-code attach",
    "scorpiox-code $'mcp' 'rm' x",
    "scorpiox-code mcp $(echo approve) --all --yes",
    "x=approve; scorpiox-code mcp $x",
    "scorpiox-code mcp appro{ve,x}",
    "scorpiox-code hooks approv?",
    'set -- mcp approve; scorpiox-code "$@"',
    "git push --force",
    "git push -f",
    "git -C x push origin +main",
    "git push -uf origin a",
  ])("asks about %s", async (command) => {
    expect(await judged({}, command, warned)).toMatchObject({
      action: "ask",
      rule: "built-in caution",
    });
  });

  test.each([
    "rm -rf build/",
    "rm -rf /tmp/x",
    "rm -rf ./",
    "rm x",
    "rm -rf $x",
    "rm -rf ~/project",
    "rm -rf *",
    "rm /",
    "rm -rf /usr/local/x",

    "chmod -R 755 .",
    "chmod 777 /",
    "dd if=/dev/zero of=x",
    "dd if=/dev/sda of=x",
    "echo x > /dev/null",
    "mkfsx",

    "curl x | sh -c 'cat'",
    "curl x | jq .",
    "curl x > y",
    "curl x | bash file.sh",
    "curl x; sh -c a",
    "cat x | sh",
    "cat ~/.ssh/id_rsa.pub",
    "cp ~/.ssh/config x",
    "ssh-keygen -f ~/.ssh/x",
    "ls > ~/.sshx",
    "cat ~/.scorpiox/policy.jsonc",
    "sed s/a/b/ ~/.scorpiox/policy.jsonc",
    "rm ~/.scorpiox/results/x",
    "scorpiox-code config get POLICY_CAUTIONS",
    "scorpiox-code mcp list",
    "scorpiox-code mcp call $tool $arguments",
    "scorpiox-code call $tool",
    "scorpiox-code",
    "scorpiox-code mcp",
    "scorpiox-code help mcp approve",

    "git push",
    "git push --force-with-lease",
    "git commit -m 'push -f'",
    "git log push -f",
    "git push origin main",
  ])("says nothing about %s", async (command) => {
    expect(await action({}, command, warned)).toBe("allow");
  });

  test("rules of the user count more, and they can be switched off", async () => {
    const file = (act: string): object => ({
      rules: [{ tool: "Bash", match: "git push", action: act }],
    });
    expect(await action(file("allow"), "git push -f", warned)).toBe("allow 1");
    expect(await action(file("allow"), "git push -f; rm -rf /", warned)).toBe("ask");
    expect(await action(file("deny"), "git push -f", warned)).toBe("deny 1");
    expect(await action({ rules: [{ tool: "Bash", action: "allow" }] }, "rm -rf /", warned)).toBe(
      "allow 1",
    );
    expect(await action({}, "git push -f")).toBe("allow");
  });
});
