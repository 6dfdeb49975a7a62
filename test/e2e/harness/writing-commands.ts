/** A command that changes files when nothing holds it. */
export interface WritingCommand {
  readonly name: string;
  readonly command: string;
  /** It takes a right of root to change anything. */
  readonly asRoot?: boolean;
  /** A way around a sandbox that has no effect, or none that stays, where there is none: it is not run there. */
  readonly isTrick?: boolean;
  /** What no ruleset of Landlock governs: names and contents stay as they are all the same. */
  readonly isAttribute?: boolean;
}

const python = (code: string): string => `/usr/bin/python3 -c '${code}'`;
/** Has whoever listens at `$HELPER` write a file into the workspace. */
const sendTo = (kind: string, address: string): string =>
  python(
    `import socket,os\ns=socket.socket(socket.AF_UNIX,socket.${kind})\ns.connect(${address})\ns.send(b"w")`,
  );

/** In the shell that runs them: `$OUTSIDE` is a folder beside the workspace, `$HELPER` that of the helper's sockets. */
export const writingCommands: readonly WritingCommand[] = [
  { name: "redirect", command: "echo x > new.txt" },
  { name: "append", command: "echo x >> README.md" },
  { name: "clobber", command: "set -C; echo x >| README.md" },
  { name: "empty", command: ": > src/a.txt" },
  { name: "both ways", command: "exec 5<>src/a.txt; echo x >&5" },
  { name: "here-document", command: "cat > h.txt <<EOF\nx\nEOF" },
  { name: "tee", command: "echo x | tee t.txt" },
  { name: "python", command: python('open("p.txt","w").write("x")') },
  { name: "perl", command: `perl -e 'open(F,">pl.txt");print F 1'` },
  { name: "perl -i", command: "perl -pi -e 's/a/b/' src/a.txt" },
  { name: "sed -i", command: "sed -i s/a/b/ src/a.txt" },
  { name: "sort -o", command: "sort -o src/b.txt src/b.txt README.md" },
  { name: "dd", command: "dd if=/dev/zero of=src/a.txt bs=1 count=3 conv=notrunc" },
  { name: "truncate", command: "truncate -s 0 src/a.txt" },
  { name: "truncate by path", command: python('import os\nos.truncate("src/a.txt",1)') },
  { name: "fallocate", command: "fallocate -l 5000 src/a.txt" },
  { name: "cp", command: "cp README.md copy.md" },
  { name: "cp over", command: "cp README.md src/a.txt" },
  { name: "install", command: "install -m 755 README.md bin/tool" },
  { name: "mv", command: "mv src/a.txt src/c.txt" },
  { name: "mv a folder", command: "mv src lib" },
  { name: "mv out", command: 'mv src/a.txt "$TMPDIR/"' },
  { name: "rm", command: "rm -f src/a.txt" },
  { name: "rm -rf", command: "rm -rf src .git" },
  { name: "rmdir", command: "rmdir sub" },
  { name: "unlink", command: "unlink README.md" },
  { name: "mkdir", command: "mkdir -p made/deep" },
  { name: "ln", command: "ln src/a.txt hard" },
  { name: "ln -s", command: "ln -s src/a.txt soft" },
  { name: "ln -sf", command: "ln -sf /etc/passwd link" },
  { name: "mkfifo", command: "mkfifo pipe" },
  { name: "mknod", command: "mknod node p" },
  { name: "mknod device", command: "mknod disk b 8 0", asRoot: true },
  { name: "socket file", command: sendTo("SOCK_STREAM", `"x"`).replace("s.connect", "s.bind") },
  { name: "touch", command: "touch touched" },
  { name: "touch -d", command: "touch -d 2001-01-01 README.md", isAttribute: true },
  { name: "chmod", command: "chmod 600 README.md", isAttribute: true },
  { name: "chown", command: "chown 12345 README.md", asRoot: true, isAttribute: true },
  {
    name: "xattr",
    command: python('import os\nos.setxattr("README.md","user.x",b"1")'),
    isAttribute: true,
  },
  { name: "tar", command: "tar cf - README.md | tar xf - -C sub" },
  { name: "tar file", command: "tar cf all.tar src" },
  { name: "gzip", command: "gzip -f README.md" },
  { name: "split", command: "split -b 2 README.md part" },
  { name: "git commit", command: "git commit -q --allow-empty -m x" },
  { name: "git config", command: "git config core.pager evil" },
  { name: "git checkout", command: "git checkout -q -b other" },
  { name: "git hash-object", command: "echo new | git hash-object -w --stdin" },
  { name: "git gc", command: "git gc -q --prune=now" },
  { name: "git hook", command: "printf '#!/bin/sh\\n' > .git/hooks/pre-commit" },
  { name: "outside", command: 'echo x > "$OUTSIDE/out.txt"' },
  { name: "home", command: "echo x >> ~/.bashrc" },
  { name: "own folder", command: "mkdir -p ~/.scorpiox && echo x > ~/.scorpiox/evil.txt" },
  { name: "link in TMPDIR", command: 'ln -s "$PWD/src/a.txt" "$TMPDIR/l"; echo x > "$TMPDIR/l"' },
  { name: "folder link", command: 'ln -s "$PWD" "$TMPDIR/w"; echo x > "$TMPDIR/w/via.txt"' },
  { name: "hard link out", command: 'ln src/a.txt "$OUTSIDE/h" && echo x >> "$OUTSIDE/h"' },
  { name: "hard link in TMPDIR", command: 'ln src/a.txt "$TMPDIR/h" && echo x >> "$TMPDIR/h"' },
  { name: "/proc/self/cwd", command: "echo x > /proc/self/cwd/cwd.txt" },
  { name: "/proc/self/root", command: 'echo x > "/proc/self/root$PWD/root.txt"' },
  { name: "/proc/1/root", command: 'echo x > "/proc/1/root$PWD/one.txt"', isTrick: true },
  {
    name: "root of all processes",
    command: 'for p in /proc/[0-9]*; do echo x > "$p/root$PWD/all.txt"; done 2>/dev/null',
  },
  {
    name: "folders of all processes",
    // Only those in the workspace: it is run without a sandbox too.
    command:
      'for p in /proc/[0-9]*; do [ $p/cwd -ef "$PWD" ] && echo x > $p/cwd/every.txt; done 2>/dev/null',
  },
  {
    name: "inherited descriptors",
    command:
      "for f in /proc/$PPID/fd/* /proc/self/fd/*; do [ ${f##*/} -gt 2 ] && echo x >> $f; done 2>/dev/null",
    isTrick: true,
  },
  { name: "reopened", command: "exec 4<src/a.txt; echo x > /proc/self/fd/4" },
  {
    name: "memory of the parent",
    command: python('import os\nopen("/proc/%d/mem"%os.getppid(),"r+b")'),
    isTrick: true,
  },
  { name: "mount", command: "mount -t tmpfs none sub && umount sub", isTrick: true },
  { name: "remount", command: 'mount -o remount,rw,bind "$PWD"; echo x > r.txt' },
  { name: "umount", command: 'umount -l "$PWD" 2>/dev/null; echo x > "$PWD/um.txt"' },
  {
    name: "user namespace",
    command:
      "unshare -Urm sh -c 'mount -o remount,rw,bind . . ; mount -o remount,rw /; echo x > ns.txt'",
  },
  { name: "nsenter", command: 'nsenter -t 1 -m sh -c "echo x > $PWD/enter.txt"', isTrick: true },
  { name: "chroot", command: 'chroot / sh -c "echo x > $PWD/chroot.txt"', asRoot: true },
  { name: "background", command: "(sleep 0.05; echo x > bg.txt) & wait" },
  { name: "daemon", command: "setsid -f sh -c 'sleep 0.02; echo x > daemon.txt'; sleep 0.1" },
  { name: "helper by path", command: sendTo("SOCK_STREAM", 'os.environ["HELPER"]+"/stream"') },
  { name: "helper by datagram", command: sendTo("SOCK_DGRAM", 'os.environ["HELPER"]+"/dgram"') },
  {
    name: "helper by a pair",
    command: python(
      'import socket,os\na,b=socket.socketpair(socket.AF_UNIX,socket.SOCK_DGRAM)\na.sendto(b"w",os.environ["HELPER"]+"/dgram")',
    ),
  },
  {
    name: "helper by abstract name",
    command: sendTo("SOCK_STREAM", `"\\0"+os.environ["HELPER"]`),
  },
];

/** A server that writes `asked.txt` into its folder for whoever asks: by path, by datagram and by abstract name. */
export const helperProgram = `
import os, select, socket, sys
folder, workspace = sys.argv[1:3]
os.umask(0)
def listening(kind, name):
    s = socket.socket(socket.AF_UNIX, kind)
    s.bind(name)
    if kind == socket.SOCK_STREAM: s.listen()
    return s
sockets = [listening(socket.SOCK_STREAM, folder + "/stream"), listening(socket.SOCK_DGRAM, folder + "/dgram"),
           listening(socket.SOCK_STREAM, "\\0" + folder)]
print("ready", flush=True)
while True:
    for s in select.select(sockets, [], [])[0]:
        if s.type == socket.SOCK_STREAM:
            s.accept()[0].close()
        else:
            s.recv(9)
        open(workspace + "/asked.txt", "a").write("x")
`;
