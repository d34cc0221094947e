#pragma once
#include <openssl/cms.h>
#include <openssl/err.h>
#include <openssl/objects.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>

// The functions on stacks are macros, which Swift does not import.

static inline int subledger_signerCount(CMS_ContentInfo *message) {
    return sk_CMS_SignerInfo_num(CMS_get0_SignerInfos(message));
}

static inline CMS_SignerInfo *subledger_signer(CMS_ContentInfo *message, int index) {
    return sk_CMS_SignerInfo_value(CMS_get0_SignerInfos(message), index);
}

static inline int subledger_certificateCount(const STACK_OF(X509) *certificates) {
    return sk_X509_num(certificates);
}

static inline X509 *subledger_certificate(const STACK_OF(X509) *certificates, int index) {
    return sk_X509_value(certificates, index);
}

static inline void subledger_releaseCertificates(STACK_OF(X509) *certificates) {
    sk_X509_pop_free(certificates, X509_free);
}
