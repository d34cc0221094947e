#!/usr/bin/env bash
# A time stamp authority in a folder, made with the openssl command line.
#   authority.sh FOLDER setup                       keys and certificates
#   authority.sh FOLDER reply REQUEST RESPONSE KIND answers a request now; KIND is a section of the configuration
#   authority.sh FOLDER sign INFO TOKEN SIGNER      signs a TSTInfo as any signer
set -euo pipefail
cd "$1"
shift

configure() {
    cat > ca.cnf << 'CONFIG'
[ca]
default_ca = authority
[authority]
database = index.txt
serial = serial
new_certs_dir = .
default_md = sha256
policy = names
email_in_dn = no
[names]
commonName = supplied
[root]
basicConstraints = critical,CA:TRUE
keyUsage = critical,keyCertSign
[tsa]
extendedKeyUsage = critical,timeStamping
[plain]
keyUsage = critical,digitalSignature
[lenient]
extendedKeyUsage = timeStamping
[busy]
extendedKeyUsage = critical,timeStamping,codeSigning
[versatile]
extendedKeyUsage = critical,timeStamping,1.3.6.1.4.1.99999.1
CONFIG
    for kind in sha256 sha1 picky; do
        cat >> ts.cnf << CONFIG
[$kind]
serial = tsserial
signer_digest = sha256
default_policy = 1.3.6.1.4.1.99999.2
digests = $([[ $kind == picky ]] && echo sha512 || echo sha256)
ess_cert_id_alg = $([[ $kind == sha1 ]] && echo sha1 || echo sha256)
accuracy = secs:1
tsa_name = yes
ess_cert_id_chain = no
CONFIG
    done
}

# issue NAME SUBJECT EXTENSIONS ISSUER FIRST_YEAR END_YEAR [SERIAL]
issue() {
    : > index.txt
    printf '%s\n' "${7:-$(openssl rand -hex 8 | sed 's/^./1/')}" > serial
    openssl req -new -key "$1.key" -subj "/CN=$2" -out "$1.csr"
    local issuer=(-cert "$4.pem" -keyfile "$4.key")
    [[ $1 != "$4" ]] || issuer=(-selfsign -keyfile "$1.key")
    openssl ca -batch -config ca.cnf -in "$1.csr" -out "$1.pem" -notext "${issuer[@]}" -extensions "$3" \
        -startdate "${5}0101000000Z" -enddate "${6}0101000000Z"
}

setup() {
    configure
    for name in root intermediate other; do openssl genrsa -out $name.key 2048; done
    for name in tsa expired plain lenient busy versatile stranger twin-a; do
        openssl ecparam -name prime256v1 -genkey -noout -out $name.key
    done
    cp twin-a.key twin-b.key
    issue root 'Root' root root 2020 2049
    issue other 'Other root' root other 2020 2049
    issue intermediate 'Intermediate' root root 2020 2049
    issue tsa 'Time stamps, Ltd' tsa intermediate 2020 2049
    issue expired 'Expired' tsa intermediate 2020 2021
    for name in plain lenient busy versatile; do issue $name $name $name intermediate 2020 2049; done
    issue stranger 'Stranger' tsa other 2020 2049
    # Two certificates of one key, one number and the same number of bytes.
    issue twin-a 'Twin A' tsa intermediate 2020 2049 1234
    issue twin-b 'Twin B' tsa intermediate 2020 2049 1234
}

case $1 in
    setup) setup &> log || { cat log >&2; exit 1; } ;;
    reply)
        openssl ts -reply -config ts.cnf -section "$4" -queryfile "$2" -signer tsa.pem -inkey tsa.key \
            -chain intermediate.pem -out "$3" 2> log || { cat log >&2; exit 1; }
        ;;
    sign)
        openssl cms -sign -in "$2" -binary -nodetach -econtent_type 1.2.840.113549.1.9.16.1.4 -cades -md sha256 \
            -signer "$4.pem" -inkey "$4.key" -certfile intermediate.pem -outform DER -out "$3"
        ;;
esac
