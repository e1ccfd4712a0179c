#!/bin/sh
# Creates the secrets of docker-compose.yml in docker/secrets, one file each, and keeps existing ones. Keys are generated;
# portal passwords are prompted for. Keep a copy elsewhere: without the store and Temporal keys, encrypted data is lost.
set -eu
folder="${1:-$(dirname "$0")/secrets}"
umask 077
mkdir -p "$folder"
# Only the owner can enter the folder; containers read the files as another user.
write() {
  cat > "$folder/$1.new"
  chmod 444 "$folder/$1.new"
  mv "$folder/$1.new" "$folder/$1"
}
for name in control.key store.key store-encryption.key temporal.key database.password s3.id s3.secret; do
  [ -e "$folder/$name" ] && continue
  # Not in a pipe: a failure at its start would go unnoticed and leave an empty secret.
  made=$(openssl rand -hex 32)
  printf '%s\n' "$made" | write "$name"
done
for portal in staging production; do
  [ -e "$folder/$portal.password" ] && continue
  if [ -t 0 ]; then
    printf 'Password at %s: ' "$portal" >&2
    trap 'stty echo' EXIT
    trap 'exit 1' INT TERM
    stty -echo
    IFS= read -r password || password=
    stty echo
    trap - EXIT INT TERM
    echo >&2
  else
    IFS= read -r password || password=
  fi
  if [ -z "$password" ]; then
    echo "No password for $portal: run $0 again, or write $folder/$portal.password" >&2
    exit 1
  fi
  printf '%s\n' "$password" | write "$portal.password"
done
