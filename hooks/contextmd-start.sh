#!/bin/sh
# contextmd-start.sh LINE
#
# Starts the ContextMD server in the background, once, however many hooks ask for it at the same time. LINE: server.json of the server
# that runs and has proven to be ours, or nothing. Run by contextmd-hook.sh; server.start beside it holds what to start, with which
# environment: that of the agent has no place in a server.

line=${1:-}
here=${0%/*}
lock=$here/starting
{ read -r node && read -r launcher; } <"$here/server.start" || exit 0
[ -e "$launcher" ] || exit 0

# One that runs is left alone unless it is of another version than the package; which of the two is newer is for the package to say. One
# inside a host is left alone in any case.
if [ -n "$line" ]; then
  case $line in *'"startedAs":"host"'*) exit 0 ;; esac
  installed=
  while read -r field; do
    case $field in '"version":'*) installed=${field#*: } installed=${installed%,}; break ;; esac
  done <"${launcher%/bin/*}/package.json"
  case $line in *"\"version\":$installed"*) exit 0 ;; esac
fi

# The holder's number tells whether the lock is still held: who was killed holds nothing, and after two minutes the number may be
# another program's. One that is empty was made this instant. Two that take over an old one at once are no harm, only a waste:
# `contextmd service start` has a lock of its own.
if [ -e "$lock" ]; then
  holder=
  { read -r holder <"$lock"; } 2>/dev/null
  if [ -z "$(find "$lock" -mmin +2)" ] && { [ -z "$holder" ] || kill -0 "$holder"; }; then exit 0; fi 2>/dev/null
  rm -f "$lock"
fi
(set -C && echo $$ >"$lock") 2>/dev/null || exit 0

{
  read -r node && read -r launcher
  set --
  while read -r variable; do set -- "$@" "$variable"; done
} <"$here/server.start"
env -i "$@" "$node" "$launcher" service start
rm -f "$lock"
