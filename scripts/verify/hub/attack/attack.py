"""What a command tries against the hub of its user: `attack.py <facts.json> <attempt>`.

Says in its last line how it ended: `RESULT refused|entered <detail>`. `entered`: something was reached that is the hub's.
"""
import array, ctypes, fcntl, glob, hashlib, hmac, json, os, re, resource, select, signal, socket, struct, subprocess, sys, time

with open(sys.argv[1]) as file:
    facts = json.load(file)
home, program, workspace = facts["home"], facts["program"], facts["workspace"]
data = home + "/.scorpiox"
libc = ctypes.CDLL(None, use_errno=True)
result = None
patience = 10


def attempt_of(name):
    return globals()["try_" + name.replace("-", "_")]


# Ends of a pipe that all processes of an attempt have: where nothing may be written, there are no files.
READING, WRITING = 197, 198


def open_pipe():
    try:
        os.fstat(WRITING)
    except OSError:
        for one, number in zip(os.pipe(), (READING, WRITING)):
            os.dup2(one, number, inheritable=True)
            os.close(one)


def tell(word, detail):
    """Of the process that knows it, which may not be the one that the shell waits for."""
    line = "RESULT %s %s\n" % (word, " ".join(str(detail).split())[:300])
    try:
        os.write(WRITING, line.encode())
        with open(facts["result"] + ".new", "w") as out:
            out.write(line)
        os.rename(facts["result"] + ".new", facts["result"])
    finally:
        os._exit(0)


def record():
    with open(facts["place"] + "/lock") as lock:
        return json.load(lock)


def key():
    with open(facts["place"] + "/key") as one:
        return one.read()


# The protocol


def frame(value):
    text = (value if isinstance(value, str) else json.dumps(value)).encode()
    return struct.pack("<I", len(text)) + text


def read_frame(link):
    head = b""
    while len(head) < 4:
        part = link.recv(4 - len(head))
        if not part:
            return None
        head += part
    length, text = struct.unpack("<I", head)[0], b""
    while len(text) < length:
        part = link.recv(length - len(text))
        if not part:
            return None
        text += part
    return json.loads(text)


def proof(secret, role, generation, hub, client, hub_nonce, nonce):
    words = ["scorpiox-hub 1", role, generation, hub, client, hub_nonce, nonce]
    text = "\n".join(str(word) for word in words).encode()
    return hmac.new(bytes.fromhex(secret), text, hashlib.sha256).hexdigest()


def connect(path=None):
    link = socket.socket(socket.AF_UNIX)
    link.settimeout(patience)
    link.connect(path or record()["socket"])
    return link


def shake(link, client, purpose="watch", secret=None):
    """The client's side as it should be, and then the first things that a thief would ask for."""
    known = record()
    try:
        opening = read_frame(link)
        if opening is None or "nonce" not in opening:
            return "refused", opening
        nonce = os.urandom(32).hex()
        words = [known["generation"], known["pid"], client, opening["nonce"], nonce]
        link.sendall(frame({"nonce": nonce, "proof": proof(secret or key(), "client", *words)}))
        answer = read_frame(link)
        if answer is None or "proof" not in answer:
            return "refused", answer
        link.sendall(frame({"purpose": purpose, "clientKey": "0123456789abcdef"}))
        answer = read_frame(link)
        if answer != {"admitted": True}:
            return "refused", answer
        return "entered", "admitted for " + purpose
    except OSError as error:
        return "refused", error


def speak(link, client):
    tell(*shake(link, client))


# Disguises of the process that connects


def is_program(pid):
    try:
        one, other = os.stat("/proc/%d/exe" % pid), os.stat(facts.get("exe", program))
        return (one.st_dev, one.st_ino) == (other.st_dev, other.st_ino)
    except OSError:
        return False


def until(look, what="it"):
    end = time.time() + patience
    while time.time() < end:
        found = look()
        if found:
            return found
        time.sleep(0.01)
    raise TimeoutError("not in time: " + what)


def become(argv, env):
    """Takes the place of this process: waits there for input that never comes."""
    reading, _ = os.pipe()
    os.dup2(reading, 0)
    os.set_inheritable(_, True)
    silent = os.open("/dev/null", os.O_RDWR)
    os.dup2(silent, 1)
    os.dup2(silent, 2)
    os.execve(argv[0], argv, env)


def clean_environment():
    return {"HOME": home, "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "HUB": "off", "SCORPIOX_HUB": "off"}


def in_disguise(argv=None, env=None, file=None):
    """Connects while the hub is stopped, becomes the program itself, and lets a brother that has the connection speak."""
    hub = record()["pid"]
    os.kill(hub, signal.SIGSTOP)
    try:
        link = connect()
        pid = os.getpid()
        facts["exe"] = file or program
        if os.fork() == 0:
            try:
                until(lambda: is_program(pid), "the program")
                time.sleep(0.3)
                os.kill(hub, signal.SIGCONT)
                speak(link, pid)
            finally:
                os.kill(hub, signal.SIGCONT)
        become(argv or [file or program, "serve"], clean_environment() if env is None else env)
    except BaseException:
        os.kill(hub, signal.SIGCONT)
        raise


def as_daemon(work):
    """In a session of its own, below nobody: whoever adopts it is its parent."""
    if os.fork() == 0:
        os.setsid()
        middle = os.getpid()
        if os.fork() == 0:
            until(lambda: os.getppid() != middle, "another parent")
            try:
                work()
            except BaseException as error:
                tell("refused", repr(error))
        os._exit(0)
    os.wait()
    return wait_for_result()


def as_child(work):
    """Below this process, which waits for its result."""
    child = os.fork()
    if child == 0:
        try:
            work()
        except BaseException as error:
            tell("refused", repr(error))
        os._exit(0)
    try:
        wait_for_result()
    finally:
        os.kill(child, signal.SIGKILL)


def wait_for_result():
    global result
    if result is None and select.select([READING], [], [], patience)[0]:
        result = os.read(READING, 4096).decode()
    if result is None:
        raise TimeoutError("not in time: a result")


def wiped(attempt):
    """This program again, with an environment of which nothing is left, as a daemon."""
    def work():
        os.execve("/usr/bin/python3", ["python3", "-I", __file__, sys.argv[1], attempt], {"HOME": home})
    return as_daemon(work)


def wiped_again(work):
    """The second time it is there: below whoever adopted it and with nothing of its server in its environment."""
    try:
        # Root may raise the limit that marks commands.
        resource.setrlimit(10, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    except (ValueError, OSError):
        pass
    try:
        work()
    except BaseException as error:
        tell("refused", repr(error))


# Attempts to be admitted


def try_plain():
    return shake(connect(), os.getpid())


def try_wrong_key():
    return shake(connect(), os.getpid(), secret="00" * 32)


def try_no_handshake():
    link = connect()
    first = read_frame(link)
    for text in ({"purpose": "kept", "clientKey": "0123456789abcdef"}, {"version": 1}, {"id": 1, "method": "list"}):
        link.sendall(frame(text))
    answer = read_frame(link)
    return ("refused" if answer is None or "refused" in answer else "entered"), [first, answer]


def try_no_wait():
    """Everything in one write, before the hub has said anything."""
    link = connect()
    texts = [{"nonce": "0" * 64, "proof": "0" * 64}, {"purpose": "kept", "clientKey": "0123456789abcdef"}]
    link.sendall(b"".join(frame(text) for text in texts * 4))
    answers = []
    try:
        while True:
            answer = read_frame(link)
            if answer is None:
                break
            answers.append(answer)
    except OSError as error:
        answers.append(str(error))
    return ("entered" if {"admitted": True} in answers else "refused"), answers


def try_reflection():
    """The hub's own words back to it, and those of another connection."""
    one, other = connect(), connect()
    mine, its = read_frame(one), read_frame(other)
    try:
        one.sendall(frame(its or {}))
        other.sendall(frame(mine or {}))
        answers = [read_frame(one), read_frame(other)]
    except OSError as error:
        answers = [str(error)]
    isIn = any(isinstance(each, dict) and "proof" in each for each in answers)
    return ("entered" if isIn else "refused"), answers


def try_replay():
    """A proof that was good once: of a connection that the hub has never answered."""
    known, nonce, seen = record(), "ab" * 32, []
    for _ in range(2):
        link = connect()
        opening = read_frame(link) or {}
        seen = seen or [proof(key(), "client", known["generation"], known["pid"], os.getpid(), opening.get("nonce", ""), nonce)]
        try:
            link.sendall(frame({"nonce": nonce, "proof": seen[0]}))
            answer = read_frame(link)
        except OSError as error:
            answer = {"refused": str(error)}
    return ("entered" if answer and "proof" in answer else "refused"), answer


def try_long_frame():
    link = connect()
    link.sendall(struct.pack("<I", 0xFFFFFFFF) + b"x" * 65536)
    try:
        while link.recv(4096):
            pass
    except OSError as error:
        return "refused", error
    return "refused", "closed"


def try_becomes_program():
    return as_child(in_disguise)


def try_becomes_program_marked():
    return as_child(lambda: in_disguise(env=dict(os.environ, SCORPIOX_HUB="off")))


def try_empty_mark():
    return as_child(lambda: in_disguise(env=dict(clean_environment(), SCORPIOX_OWNER="")))


def try_daemon():
    return as_daemon(in_disguise)


def try_wiped_daemon():
    return wiped("wiped-daemon-2")


def try_wiped_daemon_2():
    wiped_again(in_disguise)


def try_renamed_program():
    """Then the path of the server above does not say what it is."""
    os.rename(program, program + ".moved")
    facts["moved"] = program + ".moved"
    try:
        os.symlink(program + ".moved", program)
        return wiped("renamed-program-2")
    finally:
        os.rename(program + ".moved", program)


def try_renamed_program_2():
    wiped_again(lambda: in_disguise(file=program + ".moved"))


def try_hard_link():
    other = workspace + "/python3"
    os.link(program, other)
    return wiped("hard-link-2")


def try_hard_link_2():
    wiped_again(lambda: in_disguise(file=workspace + "/python3"))


def try_copied_program():
    other = workspace + "/scorpiox-code"
    subprocess.run(["cp", program, other], check=True)
    return wiped("copied-program-2")


def try_copied_program_2():
    wiped_again(lambda: in_disguise(file=workspace + "/scorpiox-code"))


def try_other_loader():
    """The program is run, but the system says that it is its loader."""
    loader = glob.glob("/lib*/ld-linux*.so.2")[0]
    return as_child(lambda: in_disguise(argv=[loader, program, "serve"], file=loader))


def as_other_build(work):
    """Holds the lock of a place as the hub of another build would: that one need not be the same program."""
    place = os.path.join(os.path.dirname(facts["place"]), "hub-aaaaaaaaaaaa-" + facts["place"].rsplit("-", 1)[1])
    os.makedirs(place, exist_ok=True)
    about = os.stat("/proc/self/exe")
    lock = open(place + "/lock", "w+")
    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    lock.write(json.dumps({"generation": 1, "pid": os.getpid(), "start": start_of(os.getpid()), "program": "%d:%d" % (about.st_dev, about.st_ino),
                           "startedAt": int(time.time() * 1000), "version": "0.1.0", "socket": place + "/socket-1"}))
    lock.flush()
    return work()


def try_other_build():
    return as_other_build(lambda: shake(connect(), os.getpid(), purpose="kept"))


def try_other_build_wiped():
    return wiped("other-build-wiped-2")


def try_other_build_wiped_2():
    wiped_again(lambda: tell(*try_other_build()))


def try_name_of_program():
    """A process that calls itself like it."""
    libc.prctl(15, b"scorpiox-code", 0, 0, 0)
    return shake(connect(), os.getpid())


def try_limits_of_hub():
    """Nobody is below the hub's limit of locks when the hub itself has none."""
    return wiped("limits-of-hub-2")


def try_limits_of_hub_2():
    def work():
        resource.prlimit(record()["pid"], 10, (0, 0))
        in_disguise()
    wiped_again(work)


def try_descriptors_of_hub():
    """What cannot be read for lack of descriptors must not count as not there."""
    return wiped("descriptors-of-hub-2")


def try_descriptors_of_hub_2():
    def work():
        hub = record()["pid"]
        used = len(os.listdir("/proc/%d/fd" % hub))
        soft, hard = resource.prlimit(hub, resource.RLIMIT_NOFILE)
        # Its brother sets and takes away, as quickly as it can, while the connection is looked at.
        if os.fork() == 0:
            os.setsid()
            end = time.time() + 4
            while time.time() < end:
                for more in (1, 2, 3, 4, 40):
                    resource.prlimit(hub, resource.RLIMIT_NOFILE, (min(soft, used + more), hard))
            resource.prlimit(hub, resource.RLIMIT_NOFILE, (soft, hard))
            os._exit(0)
        in_disguise()
    wiped_again(work)


def try_own_limit_raised():
    """The limit that marks a command, back to where it was."""
    return wiped("own-limit-raised-2")


def try_own_limit_raised_2():
    wiped_again(in_disguise)


def try_new_namespaces():
    """Root and the first process, in namespaces of its own."""
    argv = ["unshare", "-U", "-r", "-p", "-f", "--mount-proc", "/usr/bin/python3", "-I", __file__, sys.argv[1], "new-namespaces-2"]
    said = subprocess.run(argv, env={"HOME": home, "PATH": "/usr/bin:/bin"}, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, timeout=60, pass_fds=(READING, WRITING))
    return None if said.returncode == 0 else ("refused", said.stderr)


def try_new_namespaces_2():
    link = connect()
    word, detail = shake(link, os.getpid())
    tell(word, detail)


def try_preloaded_library():
    if not os.path.exists("/usr/bin/gcc"):
        return "refused", "there is no compiler here"
    library = workspace + "/preload.so"
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, facts["preload"]], check=True, capture_output=True)
    env = dict(clean_environment(), LD_PRELOAD=library, SOCKET_OF_HUB=record()["socket"], ATTACK=__file__, FACTS=sys.argv[1])
    def work():
        become([program, "serve"], env)
    return as_daemon(work)


def try_said_by_brother():
    """Its father, which is the program by now, has connected and has handed it the connection."""
    link = socket.socket(fileno=int(sys.argv[3]))
    link.settimeout(patience)
    speak(link, int(sys.argv[4]))


def try_preloaded_script():
    """Code of its own in the very program, by a variable of its runtime."""
    env = dict(clean_environment(), BUN_OPTIONS="--preload=" + facts["inside"], FACTS=sys.argv[1])
    return as_daemon(lambda: become([program, "serve"], env))


def try_handed_over():
    """Connected by one process and used by another, which has got the connection from it."""
    one, other = socket.socketpair()
    child = os.fork()
    if child == 0:
        link = connect()
        rights = array.array("i", [link.fileno()])
        one.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])
        signal.pause()
    _, control, _, _ = other.recvmsg(1, socket.CMSG_SPACE(4))
    link = socket.socket(fileno=struct.unpack("i", control[0][2][:4])[0])
    link.settimeout(patience)
    answer = shake(link, child)
    os.kill(child, signal.SIGKILL)
    return answer


def try_dead_connector():
    """Whoever connected is gone before the hub looks; its number is another's then."""
    hub = record()["pid"]
    os.kill(hub, signal.SIGSTOP)
    try:
        link = socket.socket(socket.AF_UNIX)
        link.settimeout(patience)
        child = os.fork()
        if child == 0:
            link.connect(record()["socket"])
            os._exit(0)
        os.waitpid(child, 0)
    finally:
        os.kill(hub, signal.SIGCONT)
    return shake(link, child)


def try_abstract_name():
    return shake(connect("\0scorpiox-hub"), os.getpid())


def try_through_link():
    other = workspace + "/s"
    os.symlink(record()["socket"], other)
    return shake(connect(other), os.getpid())


def try_through_descriptor():
    folder = os.open(facts["place"], os.O_PATH)
    return shake(connect("/proc/self/fd/%d/%s" % (folder, os.path.basename(record()["socket"]))), os.getpid())


def try_through_root_of_hub():
    return shake(connect("/proc/%d/root%s" % (facts["hub"], facts["socket"])), os.getpid())


def try_without_server():
    """The server that started it is killed: who is above it now says nothing."""
    def work():
        server = os.getppid()
        os.kill(server, signal.SIGKILL)
        until(lambda: os.getppid() != server, "another parent")
        os.execve("/usr/bin/python3", ["python3", "-I", __file__, sys.argv[1], "wiped-daemon-2"], {"HOME": home})
    return as_daemon(work)


def try_without_server_2(after="wiped-daemon-2"):
    """The same; and with the limit by which a guardian knows its prey a little lower, which is allowed."""
    def work():
        soft, hard = resource.getrlimit(10)
        low = hard - 1 if hard != resource.RLIM_INFINITY else 2 ** 40
        resource.setrlimit(10, (low // 2, low // 2))
        server = os.getppid()
        if os.fork() == 0:
            os.setsid()
            os.execve("/usr/bin/python3", ["python3", "-I", __file__, sys.argv[1], after], {"HOME": home})
        os.kill(server, signal.SIGKILL)
        os._exit(0)
    return as_daemon(work)


def try_without_server_or_limits():
    return try_without_server_2("limits-of-hub-2")


# Attempts through the program itself


def run(argv, env, stdin=subprocess.DEVNULL):
    return subprocess.run(argv, env=env, stdin=stdin, capture_output=True, text=True, timeout=60, cwd=workspace)


def call(tool, env):
    """Whose process has answered: the hub's server must not have."""
    said = run([program, "call", tool], env)
    isHubs = "pid %d " % facts["upstream"] in said.stdout + " "
    return ("entered" if isHubs else "refused"), said.stdout + said.stderr


def try_call():
    return call("mcp__up__pid", dict(os.environ, HUB="on", SCORPIOX_HUB="on"))


def try_call_wiped():
    return call("mcp__up__pid", dict(clean_environment(), HUB="on", SCORPIOX_HUB="on"))


def try_call_denied():
    said = run([program, "call", "mcp__up__forbidden"], dict(clean_environment(), HUB="on", SCORPIOX_HUB="on"))
    return ("entered" if os.path.exists(facts["forbidden"]) else "refused"), said.stdout + said.stderr


def try_call_as_daemon():
    return wiped("call-as-daemon-2")


def try_call_as_daemon_2():
    wiped_again(lambda: tell(*call("mcp__up__pid", dict(clean_environment(), HUB="on", SCORPIOX_HUB="on"))))


def hub_stop(env):
    said = run([program, "hub", "stop"], env)
    return ("entered" if "has ended" in said.stdout else "refused"), said.stdout + said.stderr


def try_hub_stop():
    return hub_stop(dict(os.environ))


def try_hub_stop_wiped():
    return wiped("hub-stop-wiped-2")


def try_hub_stop_wiped_2():
    wiped_again(lambda: tell(*hub_stop(clean_environment())))


def try_hub_status():
    return wiped("hub-status-2")


def try_hub_status_2():
    def work():
        said = run([program, "hub", "status", "--json"], clean_environment())
        tell("entered" if str(facts["upstream"]) in said.stdout else "refused", said.stdout + said.stderr)
    wiped_again(work)


def calls_of_own(calls):
    """What a server of its own in the other workspace says to these calls."""
    child = subprocess.Popen([program], env=dict(clean_environment(), SCORPIOX_HUB="on"), cwd=facts["target"],
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    texts = []
    for index, (method, each) in enumerate([("initialize", params)] + [("tools/call", each) for each in calls]):
        child.stdin.write(json.dumps({"jsonrpc": "2.0", "id": index, "method": method, "params": each}) + "\n")
        child.stdin.flush()
    for _ in range(len(calls) + 1):
        texts.append(child.stdout.readline())
    child.kill()
    return " ".join(texts[1:])


def try_own_server():
    """A server of its own, which has a tool for kept tasks: the hub must start none for it."""
    return wiped("own-server-2")


def try_own_server_2():
    def work():
        start = {"name": "BackgroundBash", "arguments": {"command": "touch %s; sleep 5" % facts["forbidden"], "keep": True}}
        said = calls_of_own([start, {"name": "mcp__up__pid", "arguments": {}}])
        isIn = os.path.exists(facts["forbidden"]) or re.search("pid %d\\b" % facts["upstream"], said)
        tell("entered" if isIn else "refused", said)
    wiped_again(work)


def try_own_reader():
    """The same reads the other workspace's kept task."""
    return wiped("own-reader-2")


def try_own_reader_2():
    def work():
        said = calls_of_own([{"name": "ReadBgOutput", "arguments": {"task_id": facts["task"]}}])
        tell("entered" if facts["canary"] in said else "refused", said)
    wiped_again(work)


def try_second_hub():
    """A rival in the same place."""
    said = subprocess.Popen([program, "__hub", facts["hubArguments"]], env=clean_environment(), stdin=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd="/")
    try:
        said.wait(5)
        isHub = False
    except subprocess.TimeoutExpired:
        isHub = record()["pid"] == said.pid
        said.kill()
    return ("entered" if isHub else "refused"), said.stderr.read()


def try_other_home():
    """Other folders in its environment lead to no hub of somebody else."""
    for name in ("HOME", "SCORPIOX_HOME", "XDG_RUNTIME_DIR", "TMPDIR"):
        env = dict(clean_environment(), HUB="on", SCORPIOX_HUB="on")
        env[name] = workspace
        word, detail = call("mcp__up__pid", env)
        if word == "entered":
            return word, name
    return "refused", detail


# Attempts at the hub's and the clients' processes and files


def try_read_key():
    return ("entered" if re.fullmatch("[0-9a-f]{64}", key()) else "refused"), "the key"


def try_read_record():
    return "entered", record()["socket"]


def try_list_place():
    names = os.listdir(facts["place"])
    return ("entered" if names else "refused"), names


def try_write_record():
    with open(facts["place"] + "/lock.new", "w") as other:
        other.write("{}")
    os.unlink(facts["place"] + "/lock.new")
    return "entered", "it may write there"


def try_output_files():
    """The output of another workspace's task, as a file."""
    found = []
    for folder, _, names in os.walk(data + "/kept"):
        for name in names:
            try:
                with open(os.path.join(folder, name), errors="replace") as one:
                    if facts["canary"] in one.read(1 << 20):
                        found.append(os.path.join(folder, name)[len(data):])
            except OSError:
                pass
    return ("entered" if found else "refused"), found


def try_trace_hub():
    return trace(facts["hub"])


def try_trace_client():
    return trace(facts["client"])


def trace(pid):
    libc.ptrace.restype = ctypes.c_long
    if libc.ptrace(16, pid, None, None) != 0:
        return "refused", os.strerror(ctypes.get_errno())
    os.waitpid(pid, 0)
    libc.ptrace(17, pid, None, None)
    return "entered", "traced"


def try_read_memory():
    with open("/proc/%d/maps" % facts["hub"]) as maps:
        first = int(next(line for line in maps if "[stack]" in line).split("-")[0], 16)
    class Vector(ctypes.Structure):
        _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]
    room = ctypes.create_string_buffer(16)
    mine, its = Vector(ctypes.addressof(room), 16), Vector(first, 16)
    count = libc.process_vm_readv(facts["hub"], ctypes.byref(mine), 1, ctypes.byref(its), 1, 0)
    return ("entered" if count == 16 else "refused"), os.strerror(ctypes.get_errno())


def try_memory_file():
    with open("/proc/%d/mem" % facts["hub"], "rb"):
        return "entered", "opened"


def try_environment_of_hub():
    with open("/proc/%d/environ" % facts["hub"]) as one:
        return ("entered" if facts["canary"] in one.read() else "refused"), "no secret is in it"


def try_gdb():
    if not os.path.exists("/usr/bin/gdb"):
        return trace(facts["hub"])
    said = run(["gdb", "-p", str(facts["hub"]), "-batch", "-ex", "print 6*7"], dict(os.environ))
    return ("entered" if "= 42" in said.stdout and "ptrace" not in said.stderr else "refused"), said.stderr[-200:]


def sockets_of(pid):
    return [int(name) for name in os.listdir("/proc/%d/fd" % pid) if os.readlink("/proc/%d/fd/%s" % (pid, name)).startswith("socket:")]


def try_descriptor_of_client():
    """Its connection is there; to open it is something else."""
    for number in sockets_of(facts["client"]):
        try:
            os.close(os.open("/proc/%d/fd/%d" % (facts["client"], number), os.O_RDWR))
            return "entered", number
        except OSError as error:
            reason = error
    return "refused", reason


def try_stolen_descriptor():
    """`pidfd_getfd`, which is for debuggers."""
    pidfd = libc.syscall(434, facts["client"], 0)
    for number in sockets_of(facts["client"]):
        got = libc.syscall(438, pidfd, number, 0)
        if got >= 0:
            return "entered", number
    return "refused", os.strerror(ctypes.get_errno())


def try_lock():
    with open(facts["place"] + "/lock") as one:
        fcntl.flock(one, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return "entered", "locked"


def try_lock_of_stopped():
    """The lock of a hub that is stopped is still its own."""
    hub = record()["pid"]
    os.kill(hub, signal.SIGSTOP)
    try:
        return try_lock()
    finally:
        os.kill(hub, signal.SIGCONT)


def try_bus():
    """Another program starts it for us, if it wants."""
    argv = ["systemd-run", "--user", "--pipe", "--quiet", "/bin/true"]
    said = run(argv, dict(os.environ)) if os.path.exists("/usr/bin/systemd-run") else None
    return ("entered" if said and said.returncode == 0 else "refused"), said and said.stderr


def try_crowd():
    """All places at the door, for some seconds."""
    end, links, count = time.time() + 4, [], 0
    while time.time() < end:
        try:
            link = socket.socket(socket.AF_UNIX)
            link.setblocking(False)
            link.connect(facts["socket"])
            links.append(link)
            count += 1
        except OSError:
            time.sleep(0.001)
        while len(links) > 400:
            links.pop(0).close()
    return "refused", "%d connections" % count


# Attempts to be the hub


def start_of(pid):
    with open("/proc/%d/stat" % pid) as stat:
        return stat.read().rsplit(")", 1)[1].split()[19]


def loot(line):
    with open(facts["loot"], "a") as out:
        out.write(line + "\n")


def claim(pid, generation):
    """Lock, key and socket of a hub, as a hub makes them. The descriptors stay with whoever inherits them."""
    place = facts["place"]
    path = "%s/socket-%d" % (place, generation)
    lock = open(place + "/lock", "r+" if os.path.exists(place + "/lock") else "w+")
    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    if os.path.exists(path):
        os.unlink(path)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen(64)
    with open(place + "/key", "w") as out:
        out.write("ab" * 32)
    about = os.stat(program)
    lock.seek(0)
    lock.truncate()
    lock.write(json.dumps({"generation": generation, "pid": pid, "start": start_of(pid), "program": "%d:%d" % (about.st_dev, about.st_ino),
                           "startedAt": int(time.time() * 1000), "version": "0.1.0", "socket": path}))
    lock.flush()
    for each in (lock, listener):
        os.set_inheritable(each.fileno(), True)
    return lock, listener


def serve_as_hub(listener, pid, generation):
    """The hub's side of a handshake; what a client says after it has believed it is loot."""
    while True:
        link, _ = listener.accept()
        link.settimeout(patience)
        client = struct.unpack("3i", link.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]
        nonce = "cd" * 32
        try:
            link.sendall(frame({"generation": generation, "nonce": nonce}))
            answer = read_frame(link)
            if answer is None or "proof" not in answer:
                loot("refused %s" % answer)
                continue
            words = [generation, pid, client, nonce, answer["nonce"]]
            link.sendall(frame({"proof": proof("ab" * 32, "hub", *words)}))
            wish = read_frame(link)
            if wish is None:
                continue
            loot("entered %s" % json.dumps(wish))
            link.sendall(frame({"admitted": True}))
            while True:
                said = read_frame(link)
                if said is None:
                    break
                loot("entered %s" % json.dumps(said))
        except (OSError, ValueError) as error:
            loot("refused %r" % error)


def next_generation():
    try:
        return record()["generation"] + 1
    except (OSError, ValueError):
        return 1


def ready():
    with open(facts["ready"], "w"):
        pass


def try_be_plain():
    generation = next_generation()
    _, listener = claim(os.getpid(), generation)
    ready()
    serve_as_hub(listener, os.getpid(), generation)


def be_disguised(env=None):
    pid, generation = os.getpid(), next_generation()
    _, listener = claim(pid, generation)
    if os.fork() == 0:
        until(lambda: is_program(pid), "the program")
        ready()
        serve_as_hub(listener, pid, generation)
    become([program, "serve"], clean_environment() if env is None else env)


def try_be_disguised():
    be_disguised()


def try_be_wiped_daemon():
    return wiped("be-wiped-daemon-2")


def try_be_wiped_daemon_2():
    be_disguised()


def try_be_instead():
    """In the place of a hub that it has killed."""
    os.kill(record()["pid"], signal.SIGKILL)
    for _ in range(2000):
        try:
            return be_disguised()
        except BlockingIOError:
            time.sleep(0.0001)


def try_be_stopped():
    """With another lock, in the place of a hub that it has stopped."""
    os.kill(record()["pid"], signal.SIGSTOP)
    before = open(facts["place"] + "/lock").read()
    os.unlink(facts["place"] + "/lock")
    with open(facts["place"] + "/lock", "w") as out:
        out.write(before)
    be_disguised()


def try_be_real():
    """The program's own hub, below a command."""
    def work():
        ready()
        become([program, "__hub", facts["hubArguments"]], clean_environment())
    return as_daemon(work)


def try_be_preloaded():
    """The same with code of its own in it, which writes down what comes."""
    def work():
        ready()
        become([program, "__hub", facts["hubArguments"]],
               dict(clean_environment(), BUN_OPTIONS="--preload=" + facts["tap"], LOOT=facts["loot"]))
    return as_daemon(work)


def try_be_without_server():
    """The same as be-wiped-daemon, after it killed its server."""
    return try_without_server_2("be-wiped-daemon-2")


def try_be_without_server_or_limits():
    """And after it took the limit of locks from the client, which is there already."""
    resource.prlimit(facts["client"], 10, (0, 0))
    return try_without_server_2("be-low-daemon-2")


def try_be_low_daemon_2():
    resource.setrlimit(10, (0, 0))
    be_disguised()


def linked(name):
    """A link in the place of a file of the hub, to a file that must not change."""
    path = facts["place"] + "/" + name
    if os.path.lexists(path):
        os.unlink(path)
    os.symlink(facts["precious"], path)
    ready()
    return "refused", "links"


def try_link_lock():
    return linked("lock")


def try_link_key():
    return linked("key")


def try_link_new_key():
    return linked("key.new")


def try_link_election():
    return linked("election")


def try_link_socket():
    return linked("socket-%d" % next_generation())


def try_link_place():
    place = facts["place"]
    os.rename(place, place + ".away")
    os.mkdir(facts["workspace"] + "/place")
    os.symlink(facts["workspace"] + "/place", place)
    ready()
    return "refused", "a link"


def try_link_run():
    run = os.path.dirname(facts["place"])
    os.rename(run, run + ".away")
    os.mkdir(facts["workspace"] + "/run")
    os.symlink(facts["workspace"] + "/run", run)
    ready()
    return "refused", "a link"


def try_open_place():
    """A folder that everybody may enter."""
    os.chmod(facts["place"], 0o777)
    os.chmod(os.path.dirname(facts["place"]), 0o777)
    ready()
    return "refused", "open"


def try_held_lock():
    """The lock is taken, and nobody listens: for ever."""
    lock = open(facts["place"] + "/lock", "r+")
    fcntl.flock(lock, fcntl.LOCK_EX)
    ready()
    time.sleep(120)


def try_held_election():
    lock = open(facts["place"] + "/election", "w+")
    fcntl.flock(lock, fcntl.LOCK_EX)
    ready()
    time.sleep(120)


def main():
    name = sys.argv[2]
    open_pipe()
    try:
        outcome = attempt_of(name)()
    except BaseException as error:
        outcome = ("refused", repr(error))
    if outcome is None:
        try:
            wait_for_result()
        except BaseException as error:
            outcome = ("refused", repr(error))
    if outcome is None:
        sys.stdout.write(result)
    else:
        print("RESULT %s %s" % (outcome[0], " ".join(str(outcome[1]).split())[:300]))


main()
