"""A real S3 server for tests: Ceph's radosgw over one monitor and one OSD in memory, all of it on loopback.

Needs Debian's packages radosgw, ceph-mon and ceph-osd, and no rights beyond those of whoever runs the tests.
`python -m tests.support.radosgw` starts one, prints what to put into the environment, and stops it at ctrl-C; with
`--check` it only says what is missing.
"""

from __future__ import annotations

import base64
import secrets
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.support.servers import answers, create_bucket, free_port, running, s3_environment

PROGRAMS = ("ceph-mon", "ceph-osd", "radosgw", "radosgw-admin", "ceph", "monmaptool")
INSTALL = "apt-get install --no-install-recommends radosgw ceph-mon ceph-osd"

_CAPS = {
    "mon.": {"mon": "allow *"},
    "client.admin": {"mon": "allow *", "osd": "allow *", "mgr": "allow *"},
    "osd.0": {"mon": "allow profile osd", "osd": "allow *", "mgr": "allow profile osd"},
    "client.rgw": {"mon": "allow rw", "osd": "allow rwx"},
}
_CONF = """[global]
fsid = {fsid}
mon initial members = a
mon host = {mon}
public addr = 127.0.0.1
cluster addr = 127.0.0.1
auth cluster required = cephx
auth service required = cephx
auth client required = cephx
keyring = {folder}/keyring
run dir = {folder}
admin socket = {folder}/$name.asok
pid file = {folder}/$name.pid
log file = {folder}/$name.ceph.log
mon cluster log file = {folder}/cluster.ceph.log
mon data = {folder}/mon
mon data avail crit = 1
mon allow pool size one = true
osd data = {folder}/osd
osd objectstore = memstore
memstore device bytes = 4294967296
osd crush chooseleaf type = 0
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 8
osd pool default pg autoscale mode = off
rgw data = {folder}/rgw
"""


def missing() -> list[str]:
    """Programs that are not installed."""
    return [program for program in PROGRAMS if shutil.which(program) is None]


@contextmanager
def radosgw(folder: Path) -> Iterator[dict[str, str]]:
    """The environment variables by which AWS tools find the server."""
    (folder / "rgw").mkdir(parents=True)
    (folder / "osd").mkdir()
    conf, port = folder / "ceph.conf", free_port()
    fsid, osd, mon = str(uuid.uuid4()), str(uuid.uuid4()), f"v2:127.0.0.1:{free_port()}/0"
    conf.write_text(_CONF.format(fsid=fsid, mon=mon, folder=folder))
    (folder / "keyring").write_text("".join(_key(name, caps) for name, caps in _CAPS.items()))
    (folder / "keyring").chmod(0o600)

    def call(*command: str) -> None:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)} failed:\n{done.stderr[-3000:]}")

    call("monmaptool", "--create", "--addv", "a", f"[{mon}]", "--fsid", fsid, "monmap")
    call("ceph-mon", "--mkfs", "-i", "a", "--monmap", "monmap", "--keyring", "keyring", "-c", str(conf))
    with ExitStack() as stack:
        monitor = ["ceph-mon", "-i", "a", "-f", "-c", str(conf)]
        stack.enter_context(running(monitor, (folder / "mon.a.asok").exists, folder))
        call("ceph", "-c", str(conf), "--connect-timeout", "30", "osd", "new", osd)
        call("ceph-osd", "-i", "0", "--mkfs", "--osd-uuid", osd, "-c", str(conf))
        daemon = ["ceph-osd", "-i", "0", "-f", "-c", str(conf)]
        stack.enter_context(running(daemon, (folder / "osd.0.asok").exists, folder))
        gateway = ["radosgw", "-n", "client.rgw", "-f", "-c", str(conf)]
        gateway += ["--rgw-frontends", f"beast endpoint=127.0.0.1:{port}"]
        stack.enter_context(running(gateway, lambda: answers(port), folder))
        access, secret = secrets.token_hex(10).upper(), secrets.token_hex(20)
        user = ["--uid", "tests", "--display-name", "tests", "--access-key", access, "--secret", secret]
        call("radosgw-admin", "-c", str(conf), "user", "create", *user)
        environment = s3_environment(port, access, secret)
        create_bucket(environment)
        yield environment


def _key(name: str, caps: dict[str, str]) -> str:
    """An entry of a keyring, with a new AES key in Ceph's encoding: type, seconds, nanoseconds, length, key."""
    key = struct.pack("<hiih", 1, int(time.time()), 0, 16) + secrets.token_bytes(16)
    lines = "".join(f'\tcaps {service} = "{caps[service]}"\n' for service in caps)
    return f"[{name}]\n\tkey = {base64.b64encode(key).decode()}\n{lines}"


def main() -> None:
    if missing():
        raise SystemExit(f"not installed: {', '.join(missing())}; as root: {INSTALL}")
    if "--check" in sys.argv:
        return
    with tempfile.TemporaryDirectory(prefix="radosgw-") as name, radosgw(Path(name)) as environment:
        print("\n".join(f"export {variable}={value}" for variable, value in environment.items()), flush=True)
        signal.sigwait({signal.SIGINT, signal.SIGTERM})


if __name__ == "__main__":
    main()
