# SPDX-License-Identifier: Apache-2.0
# Reads Surefire's XML reports for bin/verify. Sourced in the root of the clone, after common.sh.

# reports FOLDER_PATTERN: prints the report files, each followed by a NUL.
reports() {
  find . -path '*/src/*' -prune -o -type f -name 'TEST-*.xml' -path "*/target/$1/*" -print0
}

remove_reports() {
  find . -path '*/src/*' -prune -o -type d -path '*/target/surefire-reports*' -prune -exec rm -rf {} +
}

# remove_classes: what a failed compilation leaves behind would pass for compiled the next time, warnings unseen.
remove_classes() {
  find . -path '*/src/*' -prune -o -type d \( -path '*/target/classes' -o -path '*/target/test-classes' \) -prune \
    -exec rm -rf {} +
}

# sum_reports FOLDER_PATTERN: prints passed, failed and skipped as three numbers. Tests are counted one by one: the sums
# in a report leave out what was not run again, and what another engine ran in the same class.
sum_reports() {
  reports "$1" | xargs -0 -r cat | awk '
    /^ *<testcase / { tests++ }
    /^ *<(failure|error)[ >\/]/ { bad++ }
    /^ *<skipped[ >\/]/ { skipped++ }
    END { print tests - bad - skipped, bad + 0, skipped + 0 }'
}

sum_line() {
  sum_reports "$1" | awk '{ print $1 " passed, " $2 " failed, " $3 " skipped" }'
}

# each_outcome PATTERN: prints `class.test: message` of test cases whose first child matches.
each_outcome() {
  reports 'surefire-reports*' | xargs -0 -r cat | awk -v wanted="$1" '
    function attribute(line, name) {
      return match(line, " " name "=\"[^\"]*\"") ? substr(line, RSTART + length(name) + 3, RLENGTH - length(name) - 4) : ""
    }
    /^ *<testcase / { name = attribute($0, "classname") "." attribute($0, "name") }
    $0 ~ "^ *<(" wanted ")[ >/]" {
      message = attribute($0, "message")
      if (message == "" && match($0, /CDATA\[/)) {
        message = substr($0, RSTART + 6)
      }
      gsub(/&#10;/, " ", message)
      gsub(/&lt;/, "<", message)
      gsub(/&gt;/, ">", message)
      gsub(/&quot;/, "\"", message)
      print name ": " substr(message, 1, 200)
    }'
}

failed_tests() {
  each_outcome 'failure|error'
}

# flaky_tests: tests that failed once and passed when they were run again.
flaky_tests() {
  each_outcome 'flakyFailure|flakyError'
}

# avoidable_skips: skips that have another reason than the kind of machine.
avoidable_skips() {
  each_outcome skipped | grep -v -E 'Disabled on (JRE|operating system|architecture)' | sed 's/^/SKIPPED /' || true
}

# tests_without_report: prints concrete test classes of the sources that no report names.
tests_without_report() {
  find . -name target -prune -o -type f \( -path '*/src/test/java/*Test.java' -o -path '*/src/test/java/*IT.java' \) -print |
    LC_ALL=C sort | while IFS= read -r file; do
    grep -q -E '^(public )?(abstract|sealed abstract) class|^public abstract|^(public )?@?interface' "$file" && continue
    module=${file%%/src/test/java/*}
    class=$(printf '%s' "${file#*/src/test/java/}" | tr / . | sed 's/\.java$//')
    case $class in *IT) reports=$module/target/surefire-reports-fleet ;; *) reports=$module/target/surefire-reports ;; esac
    set -- "$reports/TEST-$class.xml" "$reports"/TEST-"$class"\$*.xml
    [ -f "$1" ] || [ -f "$2" ] || printf '%s\n' "$class"
  done
}

# find_second_jdk: prints the newest JDK, 25 or later, that is not the one in use.
find_second_jdk() {
  in_use=$(jdk_version "$JAVA_HOME")
  for home in /usr/lib/jvm/* "${JAVA25_HOME:-}"; do
    version=$(jdk_version "$home")
    if [ -n "$version" ] && [ "$version" -ge 25 ] && [ "$version" != "$in_use" ]; then
      printf '%s %s\n' "$version" "$home"
    fi
  done | sort -n | tail -n 1 | cut -d ' ' -f 2-
}

# golden_run: replays all golden cases, where they are there.
golden_run() {
  shared=${DYNAMO4J_SHARED:-$root/../shared}
  if [ ! -d "$shared/data/golden" ]; then
    printf 'SKIPPED golden cases: no shared data at %s\n' "$shared"
    [ "${CI:-}" != true ]
    return
  fi
  status=0
  "$root/bin/conformance" --complete "$shared/data/golden" >target/conformance.log 2>&1 </dev/null || status=$?
  printf 'golden cases: %s\n' "$(tail -n 1 target/conformance.log)"
  return "$status"
}
