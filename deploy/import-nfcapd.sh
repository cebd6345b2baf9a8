#!/bin/sh
# Imports nfcapd's finished files, oldest first, and moves each to FOLDER/imported.
#
#   import-nfcapd.sh FOLDER CONTEXT [OPTION of countergraph import]…
#
# nfcapd calls this script when a file is finished (-x). A file that cannot be imported stays where
# it is, and the next call tries it again, so nothing is lost while the database is unavailable. Set
# $COUNTERGRAPH if the command is not `countergraph`.
set -eu

if [ $# -lt 2 ] || [ ! -d "$1" ]; then
  echo 'usage: import-nfcapd.sh FOLDER CONTEXT [OPTION of countergraph import]…' >&2
  exit 2
fi
folder=$1
context=$2
shift 2

# One call at a time. A call that waits too long may give up: the next comes within a minute.
exec 9>"$folder/.import.lock"
flock -w 50 9 || exit 0

mkdir -p "$folder/imported"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Since 1.7.5, nfdump has columns of what came back only if it is asked for them. Older versions
# always have them in csv, and fail if asked for columns.
columns=csv:%ts,%te,%td,%pr,%sa,%sp,%da,%dp,%ipkt,%ibyt,%opkt,%obyt,%fl

# nfdump exits with status 0 even for a damaged file, so any message on standard error is a failure.
# Only what it says of single flows that end before they start is not: the import sees to these.
print_flows() {
  for form in "$columns" csv; do
    if TZ=UTC nfdump -r "$1" -o "$form" >"$2" 2>"$work/said"; then
      ! grep -qv 'Time error - last < first' "$work/said"
      return
    fi
  done
  return 1
}

import_flows() {
  # --if-new: a call that was killed before it moved the file may already have imported it.
  # --allow-empty: a minute without traffic is not a failure.
  # shellcheck disable=SC2086
  ${COUNTERGRAPH:-countergraph} import --context "$context" --format nfdump --time-zone UTC \
    --if-new --allow-empty --skip-bad-lines "$@"
}

status=0
for file in "$folder"/nfcapd.[0-9]*; do
  [ -e "$file" ] || continue
  csv=$work/$(basename "$file").csv
  if ! print_flows "$file" "$csv"; then
    cat "$work/said" >&2
    echo "$file stays: nfdump cannot read it" >&2
    status=1
  elif import_flows "$@" "$csv"; then
    mv "$file" "$folder/imported/"
  else
    echo "$file stays: it could not be imported, and is tried again by the next call" >&2
    status=1
  fi
  rm -f "$csv"
done
exit "$status"
