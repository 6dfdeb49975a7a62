/**
 * A client of the hub that somebody has written in another language: it reads the key and does the whole handshake.
 * `hub.py <folder of the hub>` prints how that ended.
 */
export const hubVisitor = `
import glob, hashlib, hmac, json, os, socket, struct, sys
folder = sys.argv[1]
record = json.load(open(folder + "/lock"))
key = bytes.fromhex(open(folder + "/key").read())
hub = socket.socket(socket.AF_UNIX)
hub.connect(record["socket"])
def hear():
    head = hub.recv(4, socket.MSG_WAITALL)
    if len(head) < 4: return {"closed": True}
    return json.loads(hub.recv(struct.unpack("<I", head)[0], socket.MSG_WAITALL))
def say(value):
    text = json.dumps(value).encode()
    hub.sendall(struct.pack("<I", len(text)) + text)
opening = hear()
if "nonce" not in opening: sys.exit("refused: " + json.dumps(opening))
nonce = os.urandom(32).hex()
pid = int(os.environ.get("AS_PID", os.getpid()))
text = "\\n".join(["scorpiox-hub 1", "client", str(record["generation"]), str(record["pid"]), str(pid), opening["nonce"], nonce])
say({"nonce": nonce, "proof": hmac.new(key, text.encode(), hashlib.sha256).hexdigest()})
answer = hear()
if "proof" not in answer: sys.exit("refused: " + json.dumps(answer))
say({"purpose": "watch", "clientKey": "client-key"})
print("REACHED", hear())
`;

/** Connects, and becomes the command that follows with the connection open. */
export const becoming = `
import json, os, socket, sys
hub = socket.socket(socket.AF_UNIX)
hub.connect(json.load(open(sys.argv[1] + "/lock"))["socket"])
os.set_inheritable(hub.fileno(), True)
os.execv(sys.argv[2], sys.argv[2:])
`;

/** Leaves its parents, its session and its environment behind, and runs the command that follows. */
export const leaving = `
import os, sys
read, write = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.dup2(write, 1)
        os.dup2(write, 2)
        os.execve(sys.argv[1], sys.argv[1:], {"HOME": os.environ["HOME"], "PATH": os.environ["PATH"]})
    os._exit(0)
os.close(write)
while chunk := os.read(read, 65536): os.write(1, chunk)
`;

/** Ways of a command to the hub; `$BIN` is the program, `$PYTHON` that of Python, `$HUB` the folder of the hub, `$SCRIPTS` those above. */
export const hubAttempts: readonly string[] = [
  "$BIN hub status",
  "env -u SCORPIOX_OWNER $BIN hub status",
  'env -i HOME="$HOME" $BIN hub status',
  'env -i HOME="$HOME" setsid $BIN hub status',
  'setsid -f env -i HOME="$HOME" $BIN hub status',
  'nohup env -i HOME="$HOME" $BIN hub status',
  "$BIN hub status --json",
  "$BIN call mcp__one__pid",
  'env -i HOME="$HOME" PATH="$PATH" SCORPIOX_HUB=on $BIN call mcp__one__pid',
  '$PYTHON "$SCRIPTS/leaving.py" $(command -v env) SCORPIOX_HUB=on $BIN call mcp__one__pid',
  "$BIN hub stop",
  'env -i HOME="$HOME" $BIN hub stop',
  'env -i HOME="$HOME" setsid $BIN hub stop',
  'bash -c "exec -a node $BIN hub status"',
  'cp $BIN "$TMPDIR/scorpiox-code" && "$TMPDIR/scorpiox-code" hub status',
  'cp $BIN "$TMPDIR/node" && env -i HOME="$HOME" "$TMPDIR/node" hub status',
  'ln -s $BIN "$TMPDIR/link" && env -i HOME="$HOME" "$TMPDIR/link" hub status',
  '$PYTHON "$SCRIPTS/visitor.py" $HUB',
  'env -i $PYTHON "$SCRIPTS/visitor.py" $HUB',
  'setsid env -i $PYTHON "$SCRIPTS/visitor.py" $HUB',
  'AS_PID=$PPID $PYTHON "$SCRIPTS/visitor.py" $HUB',
  'AS_PID=1 $PYTHON "$SCRIPTS/visitor.py" $HUB',
  'cp $(readlink -f $PYTHON) "$TMPDIR/scorpiox-code" && "$TMPDIR/scorpiox-code" "$SCRIPTS/visitor.py" $HUB',
  '$PYTHON "$SCRIPTS/leaving.py" $PYTHON "$SCRIPTS/visitor.py" $HUB',
  '$PYTHON "$SCRIPTS/leaving.py" $BIN hub status',
  '$PYTHON "$SCRIPTS/leaving.py" $BIN hub stop',
  '$PYTHON "$SCRIPTS/becoming.py" $HUB $BIN hub status',
  'env -i HOME="$HOME" $PYTHON "$SCRIPTS/becoming.py" $HUB $BIN hub status',
  '$PYTHON "$SCRIPTS/becoming.py" $HUB $(command -v sleep) 0.1',
  '$PYTHON "$SCRIPTS/leaving.py" $PYTHON "$SCRIPTS/becoming.py" $HUB $BIN hub status',
  "(sleep 0.1; env -i HOME=$HOME $BIN hub status) & wait",
  'env -i HOME="$HOME" nice -n 1 $BIN hub stop',
  'env -i HOME="$HOME" timeout 5 $BIN hub status',
];
