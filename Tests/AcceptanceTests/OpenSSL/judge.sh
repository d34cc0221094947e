#!/usr/bin/env bash
# Says what OpenSSL thinks of each receipt NUMBER.der of a folder: a line "NUMBER SHA256" of its verified content, or
# "NUMBER refused". Dates are not checked.
set -euo pipefail
cd "$1"
for file in *.der; do
    content=$file.content
    if openssl cms -verify -inform DER -in "$file" -CAfile root.pem -purpose any -no_check_time -auth_level 0 \
        -binary -out "$content" 2> /dev/null; then
        echo "${file%.der} $(sha256sum "$content" | cut --delimiter=' ' --fields=1)"
    else
        echo "${file%.der} refused"
    fi
done
