#!/usr/bin/env bash
# Makes this folder ready: system libraries, .venv with the Python packages, compiled kernels.
#
#     scripts/setup.sh run | test | bench | pybullet
#
# What is done already is left alone, without asking pip, apt or the network. It never calls sudo.
# Exit code 2 means that a person has to do something; the last lines say what.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# How to see that it is there, and the Debian package that brings it.
window_needs='
library libGL.so.1             libgl1
library libEGL.so.1            libegl1
library libglib-2.0.so.0       libglib2.0-0
library libdbus-1.so.3         libdbus-1-3
library libfontconfig.so.1     libfontconfig1
library libxkbcommon-x11.so.0  libxkbcommon-x11-0
library libxcb-cursor.so.0     libxcb-cursor0
library libxcb-icccm.so.4      libxcb-icccm4
library libxcb-keysyms.so.1    libxcb-keysyms1
library libxcb-shape.so.0      libxcb-shape0'
test_needs='
command xvfb-run               xvfb
command xauth                  xauth
command xdotool                xdotool
driver  software               libgl1-mesa-dri'

python=.venv/bin/python
log=$(mktemp)
trap 'rm -f "$log"' EXIT
trap 'echo; echo "Interrupted. The next run repeats what was left half done."; exit 130' INT

say() { printf '%s\n' "$*"; }
stop() { say "$*" >&2; exit 2; }
show_log() { printf '\n%s\n\n' "$(tail -n 15 "$log")" >&2; }

# ---- system packages ----------------------------------------------------------------------------------------------

known_libraries() {
  local machine=.
  if [[ $(uname -m) == x86_64 ]]; then machine=x86-64; fi  # a 32-bit twin does not count
  PATH="$PATH:/sbin:/usr/sbin" ldconfig -p 2>/dev/null | grep -e "$machine" || true
}

have_library() {
  # Without a linker cache (macOS, NixOS) nothing can be said here; the program itself will say it.
  if [[ -z $libraries || $libraries == *[[:space:]]"$1 ("* ]]; then return; fi
  local folders folder
  IFS=: read -ra folders <<<"${LD_LIBRARY_PATH:-}"
  for folder in "${folders[@]}"; do
    if [[ -e $folder/$1 ]]; then return; fi
  done
  return 1
}

have_command() { type -P "$1" >/dev/null; }

have_driver() {
  [[ $(uname) != Linux ]] || compgen -G '/usr/lib*/dri/*_dri.so' >/dev/null ||
    compgen -G '/usr/lib/*/dri/*_dri.so' >/dev/null || [[ $libraries == *libgallium-* ]]
}

missing() {
  local kind what package
  while read -r kind what package; do
    if [[ -n $kind ]] && ! "have_$kind" "$what"; then echo "$package"; fi
  done <<<"$1"
}

apt_name() {
  if [[ $1 == libglib2.0-0 ]] && apt-cache show libglib2.0-0t64 >/dev/null 2>&1; then echo libglib2.0-0t64; else echo "$1"; fi
}

apt_install() {
  DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@" >"$log" 2>&1
}

install_system_packages() {
  if (($# == 0)); then return; fi
  if ! have_command apt-get; then
    stop "This machine lacks what the Debian packages $* contain. Please install it with your package manager, then run the same command again."
  fi
  local names=() name
  for name in "$@"; do names+=("$(apt_name "$name")"); done
  if (($(id -u) != 0)); then
    local update=''
    if ! compgen -G '/var/lib/apt/lists/*Packages*' >/dev/null; then update='sudo apt-get update && '; fi
    stop "Some system packages are missing. Please run this once, then the same make command again:

    ${update}sudo apt-get install ${names[*]}
"
  fi
  say "Installing system packages (about a minute): ${names[*]}"
  if apt_install "${names[@]}"; then return; fi
  say "  fetching the package lists first"
  if apt-get update >"$log" 2>&1 && apt_install "${names[@]}"; then return; fi
  show_log
  stop "apt-get could not install them; its last lines are above. Mend that, then run the same make command again."
}

# ---- Python -------------------------------------------------------------------------------------------------------

version_of() { "$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null; }

no_python="Impulse needs Python 3.11 or newer, and there is none on this machine. Please install python3.11 with python3.11-venv, then run the same command again."

# 3.11 first: PyBullet has ready-made packages up to it. A name on the PATH may be a shim without a Python behind it.
find_python() {
  local name path
  for name in python3.11 python3.14 python3.13 python3.12 python3; do
    while read -r path; do
      if [[ -n $path && ! ${path%/*} -ef .venv/bin ]] && "$path" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
        echo "$path"
        return
      fi
    done < <(type -aP "$name")
  done
}

python_needs() {
  local found=$1
  if [[ -z $found ]] && have_command python3; then
    stop "$no_python"
  elif [[ -z $found ]]; then
    echo python3 python3-venv
  elif ! "$found" -c 'import ensurepip, venv' 2>/dev/null; then
    echo "python$(version_of "$found")-venv"
  fi
}

# Whole: not left half done, and its Python still runs and is the version it was made with.
venv_is_whole() {
  local version
  [[ ! -e .venv/unfinished ]] && version=$(version_of $python) && [[ -d .venv/lib/python$version/site-packages/pip ]]
}

make_venv() {
  if [[ -z $1 ]]; then stop "$no_python"; fi
  if [[ -e .venv ]] && ! compgen -G '.venv/*.stamp' >/dev/null && [[ ! -e .venv/unfinished ]]; then
    stop "The folder .venv was made by something else and has no working Python with pip. Please remove it (rm -r .venv), then run the same command again."
  fi
  say "Making a virtual environment in .venv with $("$1" --version)"
  rm -rf .venv
  mkdir .venv
  touch .venv/unfinished
  if ! "$1" -m venv .venv >"$log" 2>&1; then
    show_log
    stop "Python could not make the virtual environment; its last lines are above."
  fi
}

# One line a package, in a terminal and in a log alike.
show_progress() {
  local line
  local fetched='^(Downloading|Using cached) ([A-Za-z0-9_.]+)-([0-9][^-]*)(-.*\.whl|\.tar\.gz) (\(.*\))'
  while read -r line; do
    if [[ $line =~ $fetched ]]; then
      say "  ${BASH_REMATCH[2]} ${BASH_REMATCH[3]} ${BASH_REMATCH[5]}"
    elif [[ $line == 'Installing collected packages'* ]]; then
      say '  unpacking'
    elif [[ $line == *'still running...'* ]]; then
      say '  still building'
    fi
  done
}

pip_install() {
  if $python -u -m pip install --disable-pip-version-check --no-input --progress-bar off "$@" 2>&1 | tee "$log" | show_progress; then return; fi
  show_log
  stop "pip could not install the Python packages; its last lines are above. With a working network, run the same command again."
}

# The stamp of a set holds the Python version and the text of its requirements: the same again means nothing to do.
install_python_packages() {
  local set=$1 duration=$2 files=("${@:3}") wanted file arguments=()
  wanted=$(version_of $python; cat "${files[@]}")
  if [[ ! -e .venv/unfinished && -f .venv/$set.stamp && $(<".venv/$set.stamp") == "$wanted" ]]; then return; fi
  say "Installing the Python packages of ${files[*]} (once, $duration)"
  touch .venv/unfinished
  for file in "${files[@]}"; do arguments+=(-r "$file"); done
  pip_install "${arguments[@]}"
  printf '%s\n' "$wanted" >".venv/$set.stamp"
  rm .venv/unfinished
  if [[ $set == run ]] && ! $python -c 'import importlib.util as u, sys; sys.exit(u.find_spec("pybullet") is None)'; then
    say "PyBullet has no ready-made package for this Python, so that engine stays grey in the menu. \`make pybullet\` builds it (4 to 7 minutes)."
  fi
}

# ---- kernels and PyBullet -----------------------------------------------------------------------------------------

compile_kernels() {
  local wanted
  wanted=$(cat .venv/run.stamp; say "${NUMBA_CACHE_DIR:-}"; find sim -name '*.py' -exec cksum {} + | LC_ALL=C sort)
  if [[ -f .venv/kernels.stamp && $(<.venv/kernels.stamp) == "$wanted" ]]; then return; fi
  say "Compiling the physics for this machine (once, about 20 seconds)"
  $python main.py warmup
  printf '%s\n' "$wanted" >.venv/kernels.stamp
}

build_pybullet() {
  if $python -c 'import pybullet' 2>/dev/null; then
    say "PyBullet is installed already."
    return
  fi
  local packages=''
  if ! have_command c++; then packages+=' g++'; fi
  if ! $python -c 'import os, sys, sysconfig; sys.exit(not os.path.exists(sysconfig.get_path("include") + "/Python.h"))'; then
    packages+=" python$(version_of $python)-dev"
  fi
  install_system_packages $packages
  say "Building PyBullet with the C++ compiler: 4 to 7 minutes."
  pip_install numpy setuptools wheel
  pip_install --no-build-isolation "$(grep -o '^pybullet==[0-9.]*' requirements.txt)"
  say "PyBullet is built; it is in the engine menu from the next start."
}

# ---- what was asked for -------------------------------------------------------------------------------------------

prepare() {
  local needs=$window_needs packages found
  if [[ $1 == test ]]; then needs+=$test_needs; fi
  libraries=$(known_libraries)
  packages=$(missing "$needs")
  if ! venv_is_whole; then
    found=$(find_python)
    packages+=" $(python_needs "$found")"
  fi
  install_system_packages $packages
  if ! venv_is_whole; then make_venv "$(find_python)"; fi
  install_python_packages run "1 to 5 minutes, 320 MB to fetch" requirements.txt
}

if have_command flock; then
  exec 9<scripts/setup.sh
  flock -n 9 || { say "Another set-up is at work in this folder; waiting for it."; flock 9; }
fi

case ${1:-} in
  run)
    prepare run
    compile_kernels
    ;;
  test)
    prepare test
    install_python_packages test "about a minute" requirements.txt requirements-dev.txt
    ;;
  bench)
    prepare test
    install_python_packages bench "1 to 3 minutes" requirements.txt requirements-bench.txt
    compile_kernels
    ;;
  pybullet)
    prepare run
    build_pybullet
    ;;
  *) stop "Usage: scripts/setup.sh run | test | bench | pybullet" ;;
esac
