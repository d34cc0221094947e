import Crypto
import Primitives

extension SigningAuthority {
    /// A fixed chain, valid from 2014 to 2044, so that a seed replays to the same signed bytes. Each JWS header
    /// contains the certificates, whose signatures are random.
    ///
    /// These are test keys, published with the source. They are trusted only where this root is configured.
    package static let standard = SigningAuthority(
        certificates: [leafTestCertificate, intermediateTestCertificate, rootTestCertificate].map(decoded),
        leafKey: .p256(standardLeafKey)
    )

    private static var standardLeafKey: P256.Signing.PrivateKey {
        guard let key = try? P256.Signing.PrivateKey(rawRepresentation: decoded(leafTestKey)) else {
            preconditionFailure("the embedded test key is a P-256 scalar")
        }
        return key
    }

    private static func decoded(_ base64: String) -> [UInt8] {
        guard let bytes = Base64.decode(base64) else { preconditionFailure("the embedded constants are base64") }
        return bytes
    }

    private static let leafTestCertificate = """
        MIICUTCCAdegAwIBAgIUU2BVYwcybE+PvFDPDn6rf530MlYwCgYIKoZIzj0EAwMwXTEgMB4GA1UEAwwXU2ltdWxhdGlvbiBEZXZl\
        bG9wZXIgQ0ExJTAjBgNVBAsMHFRlc3Qga2V5cywgbm90IHRvIGJlIHRydXN0ZWQxEjAQBgNVBAoMCVN1YmxlZGdlcjAeFw0xNDAx\
        MDEwMDAwMDBaFw00NDAxMDEwMDAwMDBaMGAxIzAhBgNVBAMMGlNpbXVsYXRpb24gUmVjZWlwdCBTaWduaW5nMSUwIwYDVQQLDBxU\
        ZXN0IGtleXMsIG5vdCB0byBiZSB0cnVzdGVkMRIwEAYDVQQKDAlTdWJsZWRnZXIwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQu\
        UkEDjaIHoShAjnf48GM/zKYe+dN7hTa1P8RC8B9aPDx9oMXRbcubaZj9pjeEV41Xxix1fxMsSP0342vRTXwao3IwcDAfBgNVHSME\
        GDAWgBTBTp0PQY+yxfFhL8GBHQc6rsCUKDAdBgNVHQ4EFgQUK3Ng/f5lf5BpWmLe+c98L6prA94wDAYDVR0TAQH/BAIwADAOBgNV\
        HQ8BAf8EBAMCB4AwEAYKKoZIhvdjZAYLAQQCBQAwCgYIKoZIzj0EAwMDaAAwZQIwC+c2TTf/W36oqMHZdVLHr8poyqKJWfcljW9p\
        V0yGLDh3tVOlW+3jDXRcQXc4FoZbAjEAqilUyPYGkVScN/uVvJ9EXdSEC8FOufMQW3+cjHWAtwdLFQ5+Q0mxaCR/8oEhzHEU
        """

    private static let intermediateTestCertificate = """
        MIICbDCCAfOgAwIBAgIVAOrYuJ94xDG7WSsNiGn+ToaMYKAzMAoGCCqGSM49BAMDMFgxGzAZBgNVBAMMElNpbXVsYXRpb24gUm9v\
        dCBDQTElMCMGA1UECwwcVGVzdCBrZXlzLCBub3QgdG8gYmUgdHJ1c3RlZDESMBAGA1UECgwJU3VibGVkZ2VyMB4XDTE0MDEwMTAw\
        MDAwMFoXDTQ0MDEwMTAwMDAwMFowXTEgMB4GA1UEAwwXU2ltdWxhdGlvbiBEZXZlbG9wZXIgQ0ExJTAjBgNVBAsMHFRlc3Qga2V5\
        cywgbm90IHRvIGJlIHRydXN0ZWQxEjAQBgNVBAoMCVN1YmxlZGdlcjB2MBAGByqGSM49AgEGBSuBBAAiA2IABDu874ucS84cvb3F\
        xPNlOlDfXm2HuIEuhEeopVZo6zaeQf7BctBmdX2jxJonJt0PFnlDSAfLkBelyR6WGiOngLHF6OHJze+i3U89T0gBi4yMW5Y7seRA\
        tgz+gSWj/q4daKN4MHYwHwYDVR0jBBgwFoAUPd33/lJMnnvSFk6BJRxGTxTd2u8wHQYDVR0OBBYEFMFOnQ9Bj7LF8WEvwYEdBzqu\
        wJQoMBIGA1UdEwEB/wQIMAYBAf8CAQAwDgYDVR0PAQH/BAQDAgEGMBAGCiqGSIb3Y2QGAgEEAgUAMAoGCCqGSM49BAMDA2cAMGQC\
        MCDg/3QX+ZKdFd5XXFlSSz0SJuln3CYLCEKWaGk2lQYNybhMouvDXdFIdK2yfxkejQIwMWCw/sP7SN6DU5S0hicoDDC75+mpNtSp\
        ZP2+OS1pxDiegp8kbr41unaSOPWwFhIv
        """

    private static let rootTestCertificate = """
        MIICUzCCAdmgAwIBAgIVAKwxkvsmHud8/Cy9GVuDp+PRJE+lMAoGCCqGSM49BAMDMFgxGzAZBgNVBAMMElNpbXVsYXRpb24gUm9v\
        dCBDQTElMCMGA1UECwwcVGVzdCBrZXlzLCBub3QgdG8gYmUgdHJ1c3RlZDESMBAGA1UECgwJU3VibGVkZ2VyMB4XDTE0MDEwMTAw\
        MDAwMFoXDTQ0MDEwMTAwMDAwMFowWDEbMBkGA1UEAwwSU2ltdWxhdGlvbiBSb290IENBMSUwIwYDVQQLDBxUZXN0IGtleXMsIG5v\
        dCB0byBiZSB0cnVzdGVkMRIwEAYDVQQKDAlTdWJsZWRnZXIwdjAQBgcqhkjOPQIBBgUrgQQAIgNiAAQUKLfDKbgZQCzYYvr6qASQ\
        a/aWVVZhaLyp7zUWKG9lXcISfrQExCrO5BV1Xk2e4TRg/SspgDkbLQDLuoHd/tJKBtf8VNOFf3cdsiTcKsjnonp9zGD6CL51hm9Z\
        2/jc9VKjYzBhMB8GA1UdIwQYMBaAFD3d9/5STJ570hZOgSUcRk8U3drvMB0GA1UdDgQWBBQ93ff+Ukyee9IWToElHEZPFN3a7zAP\
        BgNVHRMBAf8EBTADAQH/MA4GA1UdDwEB/wQEAwIBBjAKBggqhkjOPQQDAwNoADBlAjEAu9VvmX+P3uYxM+AExBO8lY5+Pu06NCgE\
        eOKHI80ZalPIPH7oXZaI6OblxfSG/B2pAjBXYVWdz6gFMMP2KYtnd+yuMtLiVnpqsgjXLKWs4TOAAp2vNhxEjq6MyCffjbbNHeI=
        """

    private static let leafTestKey = "irpBV6AgxRUEBUabHsetbtCM68Gnji1c4kQTrDB//SM="
}
