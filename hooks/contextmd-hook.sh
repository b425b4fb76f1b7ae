#!/bin/sh
# contextmd-hook.sh HARNESS PORT SECONDS
#
# Posts a harness's event (stdin) to the ContextMD server on this machine and prints the server's answer, which is the harness's
# own JSON. Prints that or nothing, and always exits with 0: whatever is slow, broken or missing, the agent works on.
# `contextmd setup` copies this file to the data folder, beside HARNESS.header, which holds the token and is private to its owner.
# The token is never in the arguments of a process: others on the machine can read those.

harness=$1 port=$2 limit=$3
here=${0%/*}
header=$here/$harness.header
url="http://127.0.0.1:$port/contextmd/v1/moment?harness=$harness"
newline='
'

# Grok Build and Copilot CLI run Claude Code's hooks too, with events of their own shape, which these variables tell.
if [ "$harness" = claude-code ] && [ -n "${GROK_HOOK_EVENT:-}${GROK_SESSION_ID:-}${COPILOT_HOOK_DIR:-}" ]; then exit 0; fi
[ -r "$header" ] || exit 0

# The server is still told, so that the log shows what a person switched off.
case ${CONTEXTMD_OFF:-} in '' | 0 | no | false | off) off= ;; *) off=1 ;; esac

# What could not be posted is counted, by cause, and told with the next event that gets through. A number that is none is no number.
missed=$here/$harness.missed timed=0 refused=0 told=
if [ -s "$missed" ]; then
  read -r timed refused <"$missed" || timed=
  case $timed/$refused in */*[!0-9]* | *[!0-9]*/* | /* | */) timed=0 refused=0 ;; esac
  [ "$timed$refused" = 00 ] || told="timed-out=$timed refused=$refused"
fi
keep() { { echo "$timed $refused" >"$missed"; } 2>/dev/null; }
# curl ends with 28 when its time is over.
miss() {
  if [ "$1" = 28 ]; then timed=$((timed + 1)); else refused=$((refused + 1)); fi
  [ -n "$off" ] || keep
  exit 0
}

# curl: -q first, so that no ~/.curlrc changes anything. `expect:` sends a large body at once instead of asking first.
if command -v curl >/dev/null 2>&1; then
  reply=$(curl -q -s -m "$limit" --noproxy '*' -H "@$header" -H 'content-type: application/json' -H 'expect:' \
    -H "contextmd-off: $off" -H "contextmd-missed: $told" --data-binary @- -w '\n%{http_code}' "$url" 2>/dev/null) || miss $?
  status=${reply##*"$newline"}
  body=${reply%"$newline"*}

# GNU wget only: others can't read the token from a file. It needs the size of the body beforehand, hence a file without a name.
elif wget --version >/dev/null 2>&1; then
  umask 077
  event=$(mktemp 2>/dev/null) || exit 0
  cat >"$event" && exec 3<"$event"
  rm -f "$event"
  reply=$(WGETRC="$here/$harness.wgetrc" wget -q -O - --save-headers --tries=1 --timeout="$limit" --max-redirect=0 --no-proxy \
    --header='content-type: application/json' --header="contextmd-off: $off" --header="contextmd-missed: $told" \
    --post-file=/dev/fd/3 "$url" 2>/dev/null) || { if [ $? = 4 ]; then miss 4; fi; }
  case $reply in HTTP/1.?\ 200*) status=200 ;; *) status=none ;; esac
  blank=$(printf '\r\n\r\n.')
  body=${reply#*"${blank%.}"}

elif command -v node >/dev/null 2>&1; then
  reply=$(node "$here/contextmd-hook.cjs" "$url" "$header" "$limit" "$off" "$told" 2>/dev/null) || miss $?
  status=${reply##*"$newline"}
  body=${reply%"$newline"*}

else
  exit 0
fi

if [ -n "$told" ]; then timed=0 refused=0 && keep; fi
if [ -n "$off" ] || [ "$status" != 200 ]; then exit 0; fi
# Some harnesses take any other output for text to be put before the model.
case $body in '{'*'}') printf '%s\n' "$body" ;; esac
exit 0
