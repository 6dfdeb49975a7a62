# Boots systemd in a copy of this machine that is gone with it: everything that it writes is in memory. Runs in namespaces of its own
# (unshare --pid --mount --uts --ipc --fork), but for the network.
# boot.sh PREPARATION ARGUMENT…: a script of sh that is run with the arguments in the copy before systemd starts.
set -e
preparation=$1
shift
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
  systemd-tmpfiles-setup-dev kmod-static-nodes systemd-binfmt caddy postgresql redis-server cron; do
  ln -sf /dev/null "$root/etc/systemd/system/$unit.service"
done

# Not chroot: in one no user namespace can be made.
mount --rbind "$root" "$root"
cd "$root"
mkdir -p old
pivot_root . old
# The checkout and the build may be on other file systems than the root.
sh -ec "$preparation" prepare /old "$@"
umount -l /old
cd /
exec env -i container=test PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --system --unit=basic.target
