#!/bin/sh
# Calls a hook of Portolan, signed as Standard Webhooks say: call-hook.sh URL [BODY [ID]]
# PORTOLAN_HOOK_SECRET holds the secret, whsec_…; the same ID with the same BODY starts nothing twice. Needs curl and openssl.
set -eu
url=$1
body=${2:-'{}'}
id=msg_${3:-$(openssl rand -hex 16)}
at=$(date +%s)
key=$(printf %s "${PORTOLAN_HOOK_SECRET#whsec_}" | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \n')

# HMAC-SHA256 by its definition (RFC 2104): openssl takes a key as an argument only, where everybody on the machine sees it.
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
