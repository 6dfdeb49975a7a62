# Boots systemd in a copy of this machine that is gone with it: everything that it writes is in memory. Runs in namespaces of its own
# (unshare --pid --mount --uts --ipc --fork).
# boot.sh DEPLOY PROGRAM ADDRESS DROP-IN…
set -e
deploy=$1 program=$2 address=$3
shift 3
mount --make-rprivate /
place=$(mktemp -d)
mount -t tmpfs tmpfs "$place"
mkdir "$place/upper" "$place/work" "$place/root"
root=$place/root
mount -t overlay overlay -o "lowerdir=/,upperdir=$place/upper,workdir=$place/work" "$root"
for folder in run tmp var/tmp; do mount -t tmpfs tmpfs "$root/$folder"; done
mount -t proc proc "$root/proc"
mount --rbind /sys "$root/sys"
mount --rbind /dev "$root/dev"

# What would change the machine itself, and services that are installed but not meant.
for unit in systemd-sysctl systemd-modules-load systemd-udevd systemd-udev-trigger systemd-remount-fs \
  systemd-tmpfiles-setup-dev kmod-static-nodes systemd-binfmt nginx caddy postgresql redis-server cron; do
  ln -sf /dev/null "$root/etc/systemd/system/$unit.service"
done
units=$root/etc/systemd/system
cp "$deploy/systemd/scorpiox-code.service" "$units/"
for dropin in "$@"; do
  mkdir -p "$units/scorpiox-code.service.d"
  cp "$deploy/systemd/$dropin" "$units/scorpiox-code.service.d/"
done
mkdir -p "$units/basic.target.wants" "$root/etc/sysusers.d" "$root/etc/scorpiox"
ln -s ../scorpiox-code.service "$units/basic.target.wants/"
cp "$deploy/systemd/scorpiox.sysusers" "$root/etc/sysusers.d/scorpiox.conf"
echo "listen = \"$address\"" >"$root/etc/scorpiox/http.toml"
cp "$program" "$root/usr/bin/scorpiox-code"
chroot "$root" systemd-sysusers

# Not chroot: in one no user namespace can be made.
mount --rbind "$root" "$root"
cd "$root"
mkdir -p old
pivot_root . old
umount -l /old
cd /
exec env -i container=test PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --system --unit=basic.target
