#!/bin/sh
# contextmd-hook.sh HARNESS PORT SECONDS [start]
#
# Posts a harness's event (stdin) to the ContextMD server on this machine and prints the server's answer, which is the harness's
# own JSON. Prints that or nothing, and always exits with 0: whatever is slow, broken or missing, the agent works on.
# `contextmd setup` copies this file to the data folder, beside HARNESS.header, which holds the token and is private to its owner.
# Neither the token nor the server's key is ever in the arguments of a process: others on the machine can read those.
# With `start`, which stands at the start of a session, a server that does not run is started for the events that follow.

harness=$1 port=$2 limit=$3 start=${4:-}
here=${0%/*}
header=$here/$harness.header
newline='
'

# Grok Build and Copilot CLI run Claude Code's hooks too, with events of their own shape, which these variables tell.
if [ "$harness" = claude-code ] && [ -n "${GROK_HOOK_EVENT:-}${GROK_SESSION_ID:-}${COPILOT_HOOK_DIR:-}" ]; then exit 0; fi
[ -r "$header" ] || exit 0

# The server is still told, so that the log shows what a person switched off.
case ${CONTEXTMD_OFF:-} in '' | 0 | no | false | off) off= ;; *) off=1 ;; esac

# What could not be posted is counted, by cause, and told with the next event that gets through. A number that is none is no number.
missed=$here/$harness.missed timed=0 refused=0 starting=0 told=
if [ -s "$missed" ]; then
  read -r timed refused starting <"$missed" || timed=
  starting=${starting:-0}
  case $timed/$refused/$starting in *[!0-9/]* | /* | *//*) timed=0 refused=0 starting=0 ;; esac
  [ "$timed$refused$starting" = 000 ] || told="timed-out=$timed refused=$refused starting=$starting"
fi
keep() { { echo "$timed $refused $starting" >"$missed"; } 2>/dev/null; }
# A server that a hook has just started needs a second or two: its starter holds this file meanwhile.
isStarting() {
  holder=
  { [ -n "${started:-}" ] || { read -r holder <"$here/starting" && kill -0 "$holder"; }; } 2>/dev/null
}
# curl ends with 28 when its time is over.
miss() {
  if [ "$1" = 28 ]; then timed=$((timed + 1))
  elif isStarting; then starting=$((starting + 1))
  else refused=$((refused + 1)); fi
  [ -n "$off" ] || keep
  exit 0
}

if command -v curl >/dev/null 2>&1; then client=curl
# GNU wget only: others can't read the token from a file.
elif wget --version >/dev/null 2>&1; then client=wget
elif command -v node >/dev/null 2>&1; then client=node
else exit 0; fi

# Which server: the one at PORT, else the one that server.json names. What listens there must show that it is ours before it gets
# anything: another user's program may have taken the port. The line of server.json that was proven is kept, so that a later event
# costs no further question as long as that very process runs. `contextmd run` names another data folder than that of the scripts.
data=${here%/*} isOwn=1
case ${CONTEXTMD_DATA:-} in "$data") ;; /*) data=$CONTEXTMD_DATA isOwn= ;; esac
proved=$here/$harness.proved at= line= known= failed=7
{ read -r line <"$data/server.json"; read -r known <"$proved"; } 2>/dev/null
pid=${line#*'"pid":'} pid=${pid%%[!0-9]*}
other=${line#*'"http://127.0.0.1:'} other=${other%%[!0-9]*}
{ [ -n "$pid" ] && kill -0 "$pid"; } 2>/dev/null || line= other=

hashed() {
  if command -v sha256sum >/dev/null; then sha256sum
  elif command -v shasum >/dev/null; then shasum -a 256
  elif command -v openssl >/dev/null; then openssl dgst -sha256 -r; fi
}

# proves PORT
proves() {
  question="http://127.0.0.1:$1/contextmd/v1/proof"
  if [ "$client" = node ]; then
    node "$here/contextmd-hook.cjs" "$question" "$data/server.key" "$limit" proof 2>/dev/null
    return
  fi
  key= nonce=
  { read -r key <"$data/server.key"; read -r nonce </proc/sys/kernel/random/uuid; } 2>/dev/null
  [ -n "$key" ] || return 1
  [ -n "$nonce" ] || nonce=$(
    set -- $(od -An -N 24 -t x1 /dev/urandom)
    IFS=
    echo "$*"
  )
  wanted=$(echo "$nonce:$1:$key" | hashed)
  # Where nothing can make the hash, it must do that the process lives which server.json names: only the user can write that file.
  if [ -z "$wanted" ]; then [ "$1" = "$other" ]; return; fi
  # The limit of the rate bounds what a stranger may send.
  if [ "$client" = curl ]; then
    got=$(curl -q -s -m "$limit" --limit-rate 4k --noproxy '*' "$question?nonce=$nonce" 2>/dev/null) || failed=$?
  else
    got=$(wget --no-config -q -O - --tries=1 --timeout="$limit" --limit-rate=4k --max-redirect=0 --no-proxy "$question?nonce=$nonce" 2>/dev/null)
  fi
  [ "$got" = "${wanted%% *}" ]
}

# A process that bears the number of the proven one by now began at another time.
stat= born=-
if [ -n "$line" ] && read -r stat <"/proc/$pid/stat"; then
  set -- ${stat##*) }
  born=${20:--}
fi 2>/dev/null
case $known in "$port "*" $line $born") if [ -n "$line" ]; then at=${known#* } at=${at%% *}; fi ;; esac
if [ -z "$at" ] || [ -n "$start" ]; then
  at=
  if proves "$port"; then at=$port
  elif [ -n "$other" ] && [ "$other" != "$port" ] && proves "$other"; then at=$other; fi
  if [ -n "$at" ]; then { echo "$port $at $line $born" >"$proved"; } 2>/dev/null; fi
fi

# Where none runs it is started, where an older one runs it is replaced, both when this hook has long ended.
if [ -n "$start" ] && [ -n "$isOwn" ] && [ -z "$off" ] && [ -r "$here/server.start" ]; then
  [ -n "$at" ] || line=
  session=
  if command -v setsid >/dev/null; then session=setsid; fi
  $session sh "$here/contextmd-start.sh" "$line" </dev/null >/dev/null 2>&1 &
  # an empty file: the person wants none to be started
  if [ -s "$here/server.start" ]; then started=1; fi
fi
[ -n "$at" ] || miss "$failed"
url="http://127.0.0.1:$at/contextmd/v1/moment?harness=$harness"

case $client in
# -q first, so that no ~/.curlrc changes anything. `expect:` sends a large body at once instead of asking first.
curl)
  reply=$(curl -q -s -m "$limit" --noproxy '*' -H "@$header" -H 'content-type: application/json' -H 'expect:' \
    -H "contextmd-off: $off" -H "contextmd-missed: $told" --data-binary @- -w '\n%{http_code}' "$url" 2>/dev/null) || miss $?
  status=${reply##*"$newline"}
  body=${reply%"$newline"*}
  ;;
# It needs the size of the body beforehand, hence a file without a name.
wget)
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
  ;;
node)
  reply=$(node "$here/contextmd-hook.cjs" "$url" "$header" "$limit" "$off" "$told" 2>/dev/null) || miss $?
  status=${reply##*"$newline"}
  body=${reply%"$newline"*}
  ;;
esac

if [ -n "$told" ]; then timed=0 refused=0 starting=0 && keep; fi
if [ -n "$off" ] || [ "$status" != 200 ]; then exit 0; fi
# Some harnesses take any other output for text to be put before the model.
case $body in '{'*'}') printf '%s\n' "$body" ;; esac
exit 0
