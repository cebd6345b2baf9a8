#!/bin/sh
# Imports the finished files of nfcapd, oldest first, and moves each to FOLDER/imported.
#
#   import-nfcapd.sh FOLDER CONTEXT [OPTION of countergraph import]…
#
# nfcapd calls it when a file is finished (-x). A file that could not be imported stays where it is, and
# is tried again by the next call: nothing is lost while the database is away. $COUNTERGRAPH is the
# command, where that is not `countergraph`.
set -eu

if [ $# -lt 2 ] || [ ! -d "$1" ]; then
  echo 'usage: import-nfcapd.sh FOLDER CONTEXT [OPTION of countergraph import]…' >&2
  exit 2
fi
folder=$1
context=$2
shift 2

# One call at a time. One that waits for long may leave: the next comes within a minute.
exec 9>"$folder/.import.lock"
flock -w 50 9 || exit 0

mkdir -p "$folder/imported"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# nfdump ends with status 0 also for a damaged file; what it says of it counts.
print_flows() {
  TZ=UTC nfdump -r "$1" -o csv >"$2" 2>"$work/said" || return 1
  [ ! -s "$work/said" ]
}

import_flows() {
  # --if-new: a file may have been imported by a call that was ended before it moved the file.
  # --allow-empty: a minute without traffic is no failure.
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
