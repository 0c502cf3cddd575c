# SPDX-License-Identifier: Apache-2.0
# What the commands of bin/ share: the tools they need, and one build at a time. Sourced with $root set.
# Exit codes: 1 the build failed, 2 something is missing that this script may not install.

oldest_jdk=17
oldest_maven=3.8

say() {
  printf '%s\n' "$*" >&2
}

missing() {
  say "$1"
  exit 2
}

# apt_install PACKAGE: installs it if this user may; the log goes to target/.
apt_install() {
  [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null 2>&1 || return 1
  mkdir -p "$root/target"
  export DEBIAN_FRONTEND=noninteractive
  apt_lock='-o DPkg::Lock::Timeout=300'
  # shellcheck disable=SC2086
  apt-get $apt_lock install -y --no-install-recommends "$1" >"$root/target/apt.log" 2>&1 && return 0
  # shellcheck disable=SC2086
  apt-get $apt_lock update >>"$root/target/apt.log" 2>&1 || return 1
  # shellcheck disable=SC2086
  apt-get $apt_lock install -y --no-install-recommends "$1" >>"$root/target/apt.log" 2>&1
}

# jdk_version HOME: prints the major version of a JDK, nothing for anything else.
jdk_version() {
  [ -x "$1/bin/javac" ] && [ -x "$1/bin/java" ] || return 0
  "$1/bin/javac" -version 2>&1 | sed -n 's/^javac \(1\.\)\{0,1\}\([0-9][0-9]*\).*/\2/p'
}

is_usable_jdk() {
  version=$(jdk_version "$1")
  [ -n "$version" ] && [ "$version" -ge "$oldest_jdk" ]
}

# jdk_homes: prints where JDKs may be, best first.
jdk_homes() {
  printf '%s\n' "${JAVA_HOME:-}"
  if javac=$(command -v javac); then
    dirname "$(dirname "$(readlink -f "$javac")")"
  fi
  for home in /usr/lib/jvm/* "${HOME:-}"/.sdkman/candidates/java/* /opt/*jdk*; do
    printf '%s\n' "$home"
  done
}

# find_jdk: exports JAVA_HOME of the first usable JDK.
find_jdk() {
  found=$(jdk_homes | while IFS= read -r home; do
    if [ -n "$home" ] && is_usable_jdk "$home"; then
      printf '%s\n' "$home"
      break
    fi
  done)
  [ -n "$found" ] || return 1
  export JAVA_HOME="$found"
}

need_jdk() {
  find_jdk && return 0
  for package in openjdk-17-jdk-headless openjdk-21-jdk-headless default-jdk-headless; do
    apt_install "$package" && find_jdk && return 0
  done
  missing "install a JDK, $oldest_jdk or later (Debian, Ubuntu: apt-get install openjdk-17-jdk-headless), and set JAVA_HOME if it is not on the PATH"
}

has_maven() {
  command -v mvn >/dev/null 2>&1 || return 1
  version=$(cd "$root" && mvn -B -version 2>/dev/null | sed -n 's/.*Apache Maven \([0-9.]*\).*/\1/p')
  [ "$(printf '%s\n%s\n' "$oldest_maven" "$version" | sort -V | head -n 1)" = "$oldest_maven" ]
}

need_maven() {
  has_maven && return 0
  apt_install maven && hash -r && has_maven && return 0
  missing "install Maven, $oldest_maven or later (Debian, Ubuntu: apt-get install maven)"
}

need_command() {
  command -v "$1" >/dev/null 2>&1 && return 0
  apt_install "$2" && command -v "$1" >/dev/null 2>&1 && return 0
  missing "install $1 (Debian, Ubuntu: apt-get install $2)"
}

# want_command COMMAND PACKAGE: as need_command, but goes on without it.
want_command() {
  command -v "$1" >/dev/null 2>&1 || apt_install "$2" || say "$1 is not here and cannot be installed: going on without it"
}

# first_errors LOG: prints the first lines that say what went wrong.
first_errors() {
  grep -E '^\[ERROR\] *[^ []|^Error:' "$1" | grep -v -E 'COMPILATION ERROR|stack trace|-X switch|more information|correcting|mvn <args>' |
    awk '!seen[$0]++' | head -n 5 || true
}

# build_failed LOG: names the log and its first errors, and ends with 1.
build_failed() {
  say "build failed, see $1"
  first_errors "$1" >&2
  exit 1
}

# sources_hash: prints a hash over every file that main classes come from.
sources_hash() {
  (
    cd "$root"
    find . -name target -prune -o -type f \( -name pom.xml -o -path '*/src/main/*' \) -print0 |
      LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum | cut -c 1-16
  )
}

# publish_program MODULE BUILD_FOLDER HASH: moves a built program to the folder that it runs from. That folder is
# never changed again, so that a later build does not touch what a running program has open.
publish_program() {
  name=$(basename "$1")
  programs=$root/target/programs
  mkdir -p "$programs"
  fresh=$(mktemp -d "$programs/.new-XXXXXX")
  cp "$root/$1/$2"/*.jar "$root/$1/$2"/lib/*.jar "$fresh"
  mv -T "$fresh" "$programs/$name-$3" 2>/dev/null || rm -rf "$fresh"
  find "$programs" -mindepth 1 -maxdepth 1 ! -name "*-$3" -mtime +0 -exec rm -rf {} + 2>/dev/null || true
}

# build_program MODULE: sets $program to a folder of jars that MODULE runs with, built from the sources as they are.
build_program() {
  hash=$(sources_hash)
  program=$root/target/programs/$(basename "$1")-$hash
  [ -d "$program" ] && return 0
  need_maven
  need_command flock util-linux
  mkdir -p "$root/target"
  exec 9>"$root/target/.quick-build.lock"
  flock 9
  if [ ! -d "$program" ]; then
    log=$root/target/$(basename "$1")-build.log
    say "building $1"
    find "$root" -type d -path '*/target/quick' -prune -exec rm -rf {} +
    (cd "$root" && mvn -B -ntp -Dquick -pl "$1" -am package 9>&-) >"$log" 2>&1 </dev/null || build_failed "$log"
    publish_program "$1" target/quick "$hash"
  fi
  exec 9>&-
}

# run_program MODULE MAIN_CLASS [ARGUMENT…]: replaces this shell by the program; $java_options go to its JVM.
run_program() {
  module=$1
  main=$2
  shift 2
  need_jdk
  build_program "$module"
  exec "$JAVA_HOME/bin/java" "-Ddynamo4j.root=$root" ${java_options:-} \
    -cp "$program/*" "$main" "$@"
}
