# SPDX-License-Identifier: Apache-2.0
# The Python environment in which Dynamo's mock workers and frontends run on CPU. Sourced with $root set, after common.sh.

# is_fleet_python PYTHON: whether Dynamo's packages exist for it and an environment can be made.
is_fleet_python() {
  command -v "$1" >/dev/null 2>&1 &&
    "$1" -c 'import sys, ensurepip, venv; sys.exit(not (3, 10) <= sys.version_info[:2] <= (3, 13))' >/dev/null 2>&1
}

# find_fleet_python: prints a usable interpreter; DYNAMO4J_PYTHON is asked first.
find_fleet_python() {
  for candidate in "${DYNAMO4J_PYTHON:-python3}" python3.12 python3.13 python3.11 python3.10; do
    if is_fleet_python "$candidate"; then
      printf '%s\n' "$candidate"
      return 0
    fi
  done
  return 1
}

need_fleet_python() {
  find_fleet_python && return 0
  apt_install python3-venv >&2 && find_fleet_python && return 0
  say "no fleet's environment: install Python 3.10 to 3.13 with venv (Debian, Ubuntu: apt-get install python3-venv)"
  return 1
}

# is_fleet_environment FOLDER: whether it is whole and runs here; one from elsewhere may lack its interpreter.
is_fleet_environment() {
  [ -f "$1/.complete" ] && "$1/bin/python" -c 'import dynamo._core, aiohttp, zmq' >/dev/null 2>&1
}

# make_fleet_environment INSTALL FOLDER: asks the package index, three times if it must.
make_fleet_environment() {
  interpreter=$(need_fleet_python) || return 1
  log=$root/target/fleet-environment.log
  say "making the fleet's Python environment (620 MB, some two minutes), log in target/fleet-environment.log"
  : >"$log"
  for try in 1 2 3; do
    rm -rf "$2"
    # Made in place, since a virtual environment holds its own path; the mark comes after the smoke check.
    if PIP_RETRIES=10 PIP_DEFAULT_TIMEOUT=60 timeout 900 sh "$1" "$2" "$interpreter" >>"$log" 2>&1 </dev/null; then
      touch "$2/.complete"
      return 0
    fi
    printf 'attempt %s failed\n' "$try" >>"$log"
  done
  rm -rf "$2"
  say "no fleet's environment: $(tail -n 2 "$log" | head -n 1), see target/fleet-environment.log"
  return 1
}

# find_fleet: sets $fleet_python to the interpreter that has Dynamo, making its environment on first use. Returns 1 and
# says why where there is none.
find_fleet() {
  fleet_python=
  install=${DYNAMO4J_SHARED:-$root/../shared}/tools/fleet/install.sh
  if [ ! -f "$install" ]; then
    say "no fleet's environment: its tools are not here: $install (set DYNAMO4J_SHARED)"
    return 1
  fi
  caches=${DYNAMO4J_CACHE:-${HOME:-$root/target}/.cache/dynamo4j}
  fleet=$caches/fleet-$(sha256sum "$install" | cut -c 1-16)
  mkdir -p "$caches" "$root/target" || return 1
  (
    flock 9
    is_fleet_environment "$fleet" || make_fleet_environment "$install" "$fleet"
  ) 9>"$caches/fleet.lock" || return 1
  fleet_python=$fleet/bin/python
}
