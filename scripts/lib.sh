# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What scripts/run and scripts/test share: find out what is missing, install it, build quietly.
# Sourced, with `root` set to the source tree. Runs in the bash 3.2 of macOS too.

die() {
    printf 'tickfloor: %s\n' "$1" >&2
    exit "${2:-1}"
}

# quietly COMMAND...: its output is shown only when it fails.
quietly() {
    local log status=0
    log=$(mktemp "${TMPDIR:-/tmp}/tickfloor.XXXXXX") || return
    "$@" >"$log" 2>&1 </dev/null || status=$?
    [ "$status" = 0 ] || cat "$log" >&2
    rm -f "$log"
    return "$status"
}

# set_up BUILD: whether that directory is set up for this tree. It holds absolute paths, so one that
# was moved together with its tree is removed.
set_up() {
    [ -f "$1/build.ninja" ] || return
    # shellcheck disable=SC2154 # root comes from the script that sources this
    grep -qF -- "$root" "$1/build.ninja" && return
    rm -rf "$1"
    return 1
}

# ---- what is needed ----

has() {
    command -v "$1"
}

# A header can be there without its package's name being known, so the compiler is asked, never the
# package manager.
has_header() {
    printf '#include <%s>\n' "$1" | cc -E -x c -o /dev/null -
}

has_meson() {
    [ "$(meson --version | cut -d. -f1)" -ge 1 ]
}

# need WHAT APT BREW COMMAND...: WHAT is missing unless COMMAND succeeds; APT and BREW are the
# packages that bring it. A system whose column is empty does not need it.
need() {
    local what=$1 packages
    case $manager in
    apt) packages=$2 ;;
    brew) packages=$3 ;;
    *) packages=$2$3 ;;
    esac
    shift 3
    [ -n "$packages" ] || return 0
    "$@" >/dev/null 2>&1 && return 0
    missing="${missing:+$missing, }$what"
    missing_packages="$missing_packages $packages"
}

need_build() {
    need 'a C compiler' 'gcc libc6-dev' '' has_header stdio.h
    need 'meson 1.0' meson meson has_meson
    need ninja ninja-build ninja has ninja
    need pkg-config pkg-config pkg-config has pkg-config
    need 'cairo 1.16' libcairo2-dev cairo pkg-config --atleast-version=1.16 cairo
    need 'expat 2.4' libexpat1-dev expat pkg-config --atleast-version=2.4 expat
    need 'hwloc 2.4' libhwloc-dev hwloc pkg-config --atleast-version=2.4 hwloc
    need 'jansson 2.13' libjansson-dev jansson pkg-config --atleast-version=2.13 jansson
    need libpfm4 libpfm4-dev '' has_header perfmon/pfmlib_perf_event.h
    need capstone libcapstone-dev capstone pkg-config --atleast-version=4.0 capstone
    need zlib zlib1g-dev zlib pkg-config --exists zlib
}

need_firmware() {
    # A Mac's own clang makes no programs for other systems.
    need clang clang llvm has clang
    need lld lld lld has lld-link
    need mtools mtools mtools has mcopy
}

# need_firmware_qemu ARCH: to boot the image.
need_firmware_qemu() {
    need mtools mtools mtools has mcopy
    case $1 in
    amd64)
        need qemu-system-x86_64 qemu-system-x86 qemu has qemu-system-x86_64
        need 'UEFI for amd64' ovmf '' [ -f /usr/share/OVMF/OVMF_CODE_4M.fd ]
        ;;
    arm64)
        need qemu-system-aarch64 qemu-system-arm qemu has qemu-system-aarch64
        need 'UEFI for arm64' qemu-efi-aarch64 '' [ -f /usr/share/AAVMF/AAVMF_CODE.fd ]
        ;;
    esac
}

# ---- installing it ----

find_missing() {
    missing='' missing_packages=''
    "$1"
}

# The package index of a fresh container is empty and that of an old machine is stale: refresh it
# only when installing fails.
apt_install() {
    local apt="$as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=120"
    # shellcheck disable=SC2086 # lists of words, all of them from this file
    quietly $apt install -y --no-install-recommends "$@" 2>/dev/null ||
        { quietly $apt update && quietly $apt install -y --no-install-recommends "$@"; }
}

# Sets as_root to what makes a command run as root; fails when nothing does without a question that
# nobody could answer.
find_root() {
    as_root=''
    [ "$(id -u)" = 0 ] && return
    has sudo >/dev/null || return
    as_root=sudo
    sudo -n true 2>/dev/null || { [ -t 0 ] && sudo -v; }
}

# ensure NEEDS: install what the function NEEDS finds missing, or say in one line what to do.
ensure() {
    local packages
    if has apt-get >/dev/null; then
        manager=apt
    elif has brew >/dev/null; then
        manager=brew
    else
        manager=none
    fi
    find_missing "$1"
    [ -n "$missing" ] || return 0

    # shellcheck disable=SC2086 # a list of words
    packages=$(printf '%s\n' $missing_packages | sort -u | tr '\n' ' ')
    packages=${packages% }
    case $manager in
    apt)
        find_root || die "missing $missing; as root, run: apt-get install $packages"
        printf 'tickfloor: installing %s\n' "$packages" >&2
        # shellcheck disable=SC2086 # a list of words
        apt_install $packages || die "could not install $packages; see the messages above"
        ;;
    brew)
        printf 'tickfloor: installing %s\n' "$packages" >&2
        # shellcheck disable=SC2086 # a list of words
        quietly brew install $packages || die "could not install $packages; see the messages above"
        ;;
    none)
        die "missing $missing; install it with this system's package manager (in Debian: $packages)"
        ;;
    esac

    hash -r
    find_missing "$1"
    [ -z "$missing" ] ||
        die "$packages did not bring $missing; this system has too old a one, install it by hand"
}
