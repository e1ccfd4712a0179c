#!/bin/sh
# Calls a Portolan hook, signed as Standard Webhooks describes: call-hook.sh URL [BODY [ID]]
# PORTOLAN_HOOK_SECRET is the secret, whsec_…. The same ID and BODY start only one run. Needs curl and openssl.
set -eu
url=$1
body=${2:-'{}'}
id=msg_${3:-$(openssl rand -hex 16)}
at=$(date +%s)
key=$(printf %s "${PORTOLAN_HOOK_SECRET#whsec_}" | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \n')

# HMAC-SHA256 by hand (RFC 2104): openssl takes a key only as an argument, visible to all users of the machine.
padded() {
  rest=$key
  count=0
  while [ "$count" -lt 64 ]; do
    after=${rest#??}
    byte=${rest%"$after"}
    printf "\\$(printf %03o $((0x${byte:-0} ^ $1)))"
    rest=$after
    count=$((count + 1))
  done
}
sha256() { openssl dgst -sha256 -binary; }
signature=$({ padded 92; { padded 54; printf %s "$id.$at.$body"; } | sha256; } | sha256 | openssl base64 -A)

exec curl --fail-with-body -sS "$url" \
  -H 'content-type: application/json' \
  -H "webhook-id: $id" -H "webhook-timestamp: $at" -H "webhook-signature: v1,$signature" \
  --data-binary "$body"
