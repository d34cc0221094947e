import CryptoExtras
import Primitives

extension ReceiptSigner {
    /// A fixed chain, valid from 2014 to 2044, so that a seed replays to the same receipts.
    ///
    /// These are test keys, published with the source. They are trusted only where this root is configured.
    package static let standard = ReceiptSigner(
        certificates: [leafTestCertificate, intermediateTestCertificate, rootTestCertificate].map(decoded),
        leafKey: standardLeafKey)

    private static var standardLeafKey: _RSA.Signing.PrivateKey {
        guard let key = try? _RSA.Signing.PrivateKey(derRepresentation: decoded(leafTestKey)) else {
            preconditionFailure("the embedded test key is an RSA key")
        }
        return key
    }

    private static func decoded(_ base64: String) -> [UInt8] {
        guard let bytes = Base64.decode(base64) else { preconditionFailure("the embedded constants are base64") }
        return bytes
    }

    private static let leafTestCertificate = """
        MIIDzTCCArWgAwIBAgIUI2daiqfTzGXfAn/oBUDOY914TBUwDQYJKoZIhvcNAQELBQAwZTEoMCYGA1UEAwwfU2ltdWxhdGlvbiBSZW\
        NlaXB0IERldmVsb3BlciBDQTElMCMGA1UECwwcVGVzdCBrZXlzLCBub3QgdG8gYmUgdHJ1c3RlZDESMBAGA1UECgwJU3VibGVkZ2Vy\
        MB4XDTE0MDEwMTAwMDAwMFoXDTQ0MDEwMTAwMDAwMFowaDErMCkGA1UEAwwiU2ltdWxhdGlvbiBSZWNlaXB0IFNpZ25pbmcgKFBLQ1\
        M3KTElMCMGA1UECwwcVGVzdCBrZXlzLCBub3QgdG8gYmUgdHJ1c3RlZDESMBAGA1UECgwJU3VibGVkZ2VyMIIBIjANBgkqhkiG9w0B\
        AQEFAAOCAQ8AMIIBCgKCAQEArWVSEr3VK+Sn6j7x9u8OWJfDEXzdOLdjz4cAarWWsgbDbFJtzU2IhRJ7DnzROzFG80V9CXbMiveq69\
        MMPvPrjjCteucvuifXaNIt6p4rnE4hck33D9VkDOUjJADt/75zoQZIornZ5A2byYIaYTYDdKAj7c1bOlecL3Dkvxt59hTh15i/8alA\
        ZYcQRtyvHg5rfF+ZAIcFHQA49Fi6gOW+7I1og7y2R7Iot9SlC9YFs60+DPDKuB8NNDzFq2YtKK6vrbG6oUNklbFvkABuDzCcy5eRNb\
        MC/b1j6buZZaWRLPGuk/PXExtQIr2sX5XNuxTVcakX/Td42g6IAgVqS31pEQIDAQABo3IwcDAMBgNVHRMBAf8EAjAAMA4GA1UdDwEB\
        /wQEAwIHgDAdBgNVHQ4EFgQUv2DSSRb8Y8ms2S53KO8NMhvSbYEwHwYDVR0jBBgwFoAUYzYxgB+orWZObD+ktrrpC/45H+cwEAYKKo\
        ZIhvdjZAYLAQQCBQAwDQYJKoZIhvcNAQELBQADggEBAL3WyBpnc0E37Q3VVyiHkZWPBmBR4yT4wiiIsWg6lk1rMm8bT9u4jisl9Dlg\
        SbYumImPd+VWWGmZUn45DLHTS3jozFOrwPPeW7Y4kMPpP4Dv29bJWkdFW07ApFM7BOgwdk2fk6UETm7TizJnzWE/G/SF0x5hDtFZY3\
        tVM+fglDAi2yRmyDh1CSY4sN2MzGAZLPuW+OMwmzOMy46263NhfPJzbrT2fyGvMhJ1NCb1jWSrWIS+yJYbCRSjBfA1G9+89l+dgxaI\
        t3asSLkdGvHLZtirSHPoc8QJSn9IUH5hAdEwzX7ASkvVBU913/vevfwsKA6NS6mzWqBSXqGcW8YZ44I=
        """

    private static let intermediateTestCertificate = """
        MIIDyzCCArOgAwIBAgIUZiG7RZGOt2vt3x073ZJRckxJrKYwDQYJKoZIhvcNAQELBQAwYDEjMCEGA1UEAwwaU2ltdWxhdGlvbiBSZW\
        NlaXB0IFJvb3QgQ0ExJTAjBgNVBAsMHFRlc3Qga2V5cywgbm90IHRvIGJlIHRydXN0ZWQxEjAQBgNVBAoMCVN1YmxlZGdlcjAeFw0x\
        NDAxMDEwMDAwMDBaFw00NDAxMDEwMDAwMDBaMGUxKDAmBgNVBAMMH1NpbXVsYXRpb24gUmVjZWlwdCBEZXZlbG9wZXIgQ0ExJTAjBg\
        NVBAsMHFRlc3Qga2V5cywgbm90IHRvIGJlIHRydXN0ZWQxEjAQBgNVBAoMCVN1YmxlZGdlcjCCASIwDQYJKoZIhvcNAQEBBQADggEP\
        ADCCAQoCggEBAPb/xl8OfhUvPfrISNjZ23bIsjGduR6kebm5VLFytoZAaE/+gGNxR/xpiVM0mVzGanZ6CNSCsb3D0ShCuf3lEDlVQX\
        L86trnyCY1jeYHxQ8SeCyKnEoeH3daZ+RzOY0g0b4xez87CKRoUufVHrXsCvlsw6NgCETQ1lHKHCYzeSMPW8a7sA9yP8ag9s+hKzqD\
        Yz5jhSua+DCqG27ggINHzBi7EBuqhakb0MTjyKD18v99xxCZn8iL96bzNlcVJKGgcfvu5ZoEL38AP9yzi0K6ZkDNeIIQ8H+EVi4nOG\
        OyT6X7ESrdIZkw+81OYsAV9g+tj71rF7o/LatGhAv8Iledw1MCAwEAAaN4MHYwEgYDVR0TAQH/BAgwBgEB/wIBADAOBgNVHQ8BAf8E\
        BAMCAQYwHQYDVR0OBBYEFGM2MYAfqK1mTmw/pLa66Qv+OR/nMB8GA1UdIwQYMBaAFI46UQcDubqeUD/lSFKAYAdtMmKAMBAGCiqGSI\
        b3Y2QGAgEEAgUAMA0GCSqGSIb3DQEBCwUAA4IBAQBPWpB83QPsMrURvD8gFCqEma+iYGMZics8tVG5QcIma22TFNU2/940EThjXN3Y\
        n6AEXmlzVW+kUu8SJYEm1qPO8Lxqo01s1a0aK1VwmXjCLpoR/FWtCUtAmHkJAE0ldloDBp+VaUun7FyuA6ZiPB0htUC+OCfefMiba3\
        g7qMCzNStiCHdFcAwmEATFIk/Zdu5gOlAx12yQOH6HK4fP1fVnmSAnxu/vq4rdQ/m9olGSp3GyHhFgF4wI9IsfbRa9Mxz1OaXwIy+w\
        RgcLev5OxtYxXK4bqxQOpmOBnRXmTVo0/pC1o36jp3TT4YvQobZ4GQpV1vwxRNU5ur3hKWFGwawM
        """

    private static let rootTestCertificate = """
        MIIDkDCCAnigAwIBAgIUfszL6cUEhGgoallgO9JbQIkBgD8wDQYJKoZIhvcNAQELBQAwYDEjMCEGA1UEAwwaU2ltdWxhdGlvbiBSZW\
        NlaXB0IFJvb3QgQ0ExJTAjBgNVBAsMHFRlc3Qga2V5cywgbm90IHRvIGJlIHRydXN0ZWQxEjAQBgNVBAoMCVN1YmxlZGdlcjAeFw0x\
        NDAxMDEwMDAwMDBaFw00NDAxMDEwMDAwMDBaMGAxIzAhBgNVBAMMGlNpbXVsYXRpb24gUmVjZWlwdCBSb290IENBMSUwIwYDVQQLDB\
        xUZXN0IGtleXMsIG5vdCB0byBiZSB0cnVzdGVkMRIwEAYDVQQKDAlTdWJsZWRnZXIwggEiMA0GCSqGSIb3DQEBAQUAA4IBDwAwggEK\
        AoIBAQDCE+CBlliXRpVDu7yyQDHdQNp2BoMF9m/ACculkkH2DaBf5iMfimAKc13FyMhytJYyEa4cYWBn3UMJznpsuwhMEud65u5xQS\
        8ixmh/hPS3GXNpD5i8g2bD07OaXPpKR73ijWgjuLHZ+YzHvC/792CD8L4RpFlekjQJNTvfqBmNf8KKWoJQZOqKyLgJF8y2eGfJ1UuH\
        RfXdnw165f2FOpvlpZWZWhLGq9EDawFb8hQEvCeT5BcZnuPAZwQkPKZsEbk3KY5uG2H6ydsui6dRDmze0qdt31TLCT2GkBnmbmoWYg\
        wKP/RVj8ZV0tuyq6xl28XZ8vdz2xThCiNv4pdMkOwrAgMBAAGjQjBAMA8GA1UdEwEB/wQFMAMBAf8wDgYDVR0PAQH/BAQDAgEGMB0G\
        A1UdDgQWBBSOOlEHA7m6nlA/5UhSgGAHbTJigDANBgkqhkiG9w0BAQsFAAOCAQEAG7LTF5ZQSDZ6peS7ifIeUivoQ0v4X1GPim+RGv\
        eZfDUZNWG63CN5MzhngV7AHO0VtbIv/norfvXld5uMaC1LNiE76zAKig+7NFVgqqY7DOm80PnJMzDVGQx5jBYM2AFZ5TNlP17XBykR\
        t+k3DKAJIf749txqbEDB/T6eBh19pvvSzmZcXWi6qKlHNyVVE35B3/iS+NgQV6bZ5vDsxnFlSUXKKyO4BK8hmugfpRBzMKCa4lM7Aa\
        fvydo513m6WMWA2rS3vVdEXpswlt7zSMXqgHnO4+X/0HYT507pYzhq+Dq6qlcGmAZ3Kf501dhcIZWyjhIndfhtI8vlVB/Casbnng==
        """

    private static let leafTestKey = """
        MIIEowIBAAKCAQEArWVSEr3VK+Sn6j7x9u8OWJfDEXzdOLdjz4cAarWWsgbDbFJtzU2IhRJ7DnzROzFG80V9CXbMiveq69MMPvPrjj\
        CteucvuifXaNIt6p4rnE4hck33D9VkDOUjJADt/75zoQZIornZ5A2byYIaYTYDdKAj7c1bOlecL3Dkvxt59hTh15i/8alAZYcQRtyv\
        Hg5rfF+ZAIcFHQA49Fi6gOW+7I1og7y2R7Iot9SlC9YFs60+DPDKuB8NNDzFq2YtKK6vrbG6oUNklbFvkABuDzCcy5eRNbMC/b1j6b\
        uZZaWRLPGuk/PXExtQIr2sX5XNuxTVcakX/Td42g6IAgVqS31pEQIDAQABAoIBAAMCngrkwElnihG7P4SfsFJR6ilIz2dfaaxt5dA0\
        cFYNX4GnKbBVfv/+auP8vz4llBt/kpTiOtlTxOQcsRr7rZR1nGFkl5PGAsuXUIRA9DVdtt9u4pHkDL1bkgFbQcZ9ljDOtN6cVt/Ka7\
        CzIUWcRDGXYSBM/x8za6r4LQRzU+n1egBV6S0KVUY6Bl36NW7vF0yGNcwj8srjpdd7J+pZTUitwNTpQNuqr9ioQvRfKZ65B5COEzTX\
        oEOKTXovM1OM25JTeLfRRnRBcPACbzSYV48ODdDaMJNI1SGXyf6TaLRZpuC8Vpj8OdVzeTiwV38j9x/sEXJpEgCGL7f9Pnyz7AECgY\
        EA50+0ylcZ8H2Kx+piFyfH4pxMcskh64qlHxm4dtlQGLw5NLOTSb8oeNi91yqLpif0AaJK0qlwynvvIdJ5YgRrV+81ugrXe4B3A31v\
        8Pmb50qr/V1plckW6MDG9rBXaqbde5IVvCQi7n7SjmgSES9J5hnoTrm2hS+OwbPqVORlbBECgYEAv+ck0IuJ5b8UZLYgYvDtGU2Jtg\
        dNChU1wR3Y0fgzPFP74qlirvv0ni/0TAWaQIVVYaLP36mw4WyEiZS1U8as9JZ63gpbbIkSxxkstOEIC8KYsSxE1IuUVLNofmZ2a236\
        uOkuTQlytm10RnzQ7YuFH6G8imEk8btx022r0t6JLQECgYBzcv7jNtIFjENmQH+w2vQTELu/VtANRefgO/ArsY8eqWNMAIz08+n5Vw\
        R5jgyhY7OP1TbPKi7XgT/7e5eF6nrBKu1/68VdKOM95K+ocIz1xflNvf/i+LjsdrtXiPA4lQxajrE2dDrTGo1w8lSCKz4REME3+c01\
        cGUqHOhKcqyEYQKBgQCCc9fj6KeiRYXQfLqBZ/RVug7+bfIiA48aK3cELWxu+0yEpc8O0vpUOpcgwsI8UCddivcyvUEfzMxAVpX5UF\
        qsnksB/BpwKrJYJDXu8/arP+rarhRQRF5eQeOr4W1o1EeXQfSWq/COMNPVQu4oPSsO+LyZeTZLGbhkGO6wF1U7AQKBgBCQ3ooTOL1C\
        twkZWiTIWPKtSPdXMzhPGa09kA1RV+IS3r3szGHmsYzWJzs7QG4xA9XWIbdvXuAtgsPB9XjPE5/vqeqNgcCqjdfcKs875II6np/mNA\
        +oCFASqnltg/+eh9LWJCU5efiH842OKe/0i8iK/vL9+/rcBsZsKJJllrji
        """
}
