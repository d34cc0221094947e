#pragma once
#include <openssl/cms.h>
#include <openssl/err.h>
#include <openssl/ess.h>
#include <openssl/objects.h>
#include <openssl/ts.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

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

static inline STACK_OF(X509) *subledger_newCertificates(void) {
    return sk_X509_new_null();
}

static inline int subledger_addCertificate(STACK_OF(X509) *certificates, X509 *certificate) {
    return sk_X509_push(certificates, certificate) > 0;
}

static inline void subledger_releaseCertificates(STACK_OF(X509) *certificates) {
    sk_X509_pop_free(certificates, X509_free);
}

static const unsigned long subledger_rfc2253 = XN_FLAG_RFC2253;

// The first text of a status; NULL for none.
static inline const ASN1_STRING *subledger_statusText(const TS_STATUS_INFO *status) {
    return sk_ASN1_UTF8STRING_value(TS_STATUS_INFO_get0_text(status), 0);
}

// The one signer of a token; NULL unless there is exactly one with a certificate. The token or `certificates` owns it.
static inline X509 *subledger_timeStampSigner(PKCS7 *token, STACK_OF(X509) *certificates) {
    STACK_OF(X509) *signers = PKCS7_get0_signers(token, certificates, 0);
    X509 *signer = sk_X509_num(signers) == 1 ? sk_X509_value(signers, 0) : NULL;
    sk_X509_free(signers);
    return signer;
}

// Whether time stamping is the only purpose of a certificate, and critical.
static inline int subledger_isTimeStampingOnly(const X509 *certificate) {
    int critical = 0;
    EXTENDED_KEY_USAGE *usage = X509_get_ext_d2i(certificate, NID_ext_key_usage, &critical, NULL);
    int isOnly = usage != NULL && critical == 1 && sk_ASN1_OBJECT_num(usage) == 1
        && OBJ_obj2nid(sk_ASN1_OBJECT_value(usage, 0)) == NID_time_stamp;
    EXTENDED_KEY_USAGE_free(usage);
    return isOnly;
}

// Verifies a response to a request. The context counts its own references to the store and the certificates. Newer
// versions of OpenSSL deprecate the names of these setters, which is no warning in a system header.
static inline int subledger_verifyTimeStamp(
    TS_REQ *request, TS_RESP *response, X509_STORE *store, STACK_OF(X509) *certificates) {
    TS_VERIFY_CTX *context = TS_REQ_to_TS_VERIFY_CTX(request, NULL);
    if (context == NULL) return 0;
    TS_VERIFY_CTX_add_flags(context, TS_VFY_SIGNATURE);
    X509_STORE_up_ref(store);
    TS_VERIFY_CTX_set_store(context, store);
    TS_VERIFY_CTX_set_certs(context, X509_chain_up_ref(certificates));
    int isValid = TS_RESP_verify_response(context, response);
    TS_VERIFY_CTX_free(context);
    return isValid;
}

// Newer versions of OpenSSL define these as functions, older ones as macros.

static inline int subledger_library(unsigned long error) { return ERR_GET_LIB(error); }

static inline int subledger_reason(unsigned long error) { return ERR_GET_REASON(error); }
