/// Published keys in PEM, and a certificate for one of them; they protect nothing.
package enum SampleKey: String, Sendable, CustomStringConvertible {
    /// RFC 7515 appendix A.2.
    case rsa = """
        -----BEGIN PRIVATE KEY-----
        MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQCh+BYK4uPJtGXO
        jS1lYmM2K5J9vinh8CR3/BYlzJChNuOL2TSXxbbqY913EeZ8dCn5VrD7io8ImtxL
        aYk8wTM/U+3QGbh3hCUv7JFP5IV3aVlL6kKA0ywPVb9ilE8TA5a8bpvfbr3SvaNn
        juygxmj3AbONv/s4yDQs4v5tJ/reSlpIdJed1LnPmt7Ex1sFhSwsD174pcF1A5L5
        ROjtZMEQxrZHYJqkeDrrnGya11UxMFBji4NmXG9veoKjlnAqH2QbgtPr8jkiGUkf
        toaHLFcW9Qr4NY2ai50Xw0Byj3+H2JoY2PyrZ62EWQwuz3WTOTY8BwNNb2BvniHg
        VFbK5emhAgMBAAECggEAEq5xpGnNCivDflJsRQBXHx1hdR1k6Ulwe2JZD50LpXyW
        PEAeP88vLNO97IjlA7/GQ5sLKMgvfTeXZx9SE+7YwVol2NXOoAJe46sui395IW/G
        O+pWJ1O0BkTGoVEn2bKVRUCgu+GjBVaYLU6f3l9kJfFNS3E0QbVdxzubSu3Mkqzj
        kn439X0M/V51gfpRLI9JYanrC4D4qAdGcopV/0ZHHzQlBjudU2QvXt4ehNYTCBr6
        XCLQUShb1juUO1ZdiYoFaFQT5Tw8bGUl/x/jTj3ccPDVZFD9pIuhLhBOneufuBiB
        4cS98l2SR/RQyGWSeWjnczT0QU91p1DhOVRuOopznQKBgQDgHMQQ60imZV1URk0K
        pLttoLhyt3SmqdEf/kgHePDdtzEafpAu+cS191R2JiuoF2yzWXnwFDcqGigp5BNr
        0AHQfD8/Lk8l1Mk09jxxCfui5nYooNyac8YFjm3vItzVCVDnEd3BbVWG8qf6deqE
        lMGAg+C2V0L4oNXnP7LZcPAZRwKBgQC5A8R+CZW2MvRTLLHzwZkUXV866cff7tx6
        kqa0finGG0KgeqlaZPxgCZnFp7AeAcCMtiynVlJ7vMVgePsLq6XtON4tB5kP9jAP
        rq3rbAOal78eUH5OcED6eNuCV8ixEu1eWcPNCS/l1OW1EnXUEoEHKl54Xrrz2uNw
        kgMTP1FZ1wKBgAcCn1dwJKufzBWQxWQp1vsM5fggqPN1qGb5y0MAk3g7/Ls5bkUp
        5u9SN0Ai3Ya6hNnvWJMb7sXQX6U/zyO2M/hTip7tUeh7CXgwo59dkpN75gJLVds2
        9+DAncu3KXU4f2Fa+7bLNrur53k8KwPOq2bbuTG69QtV7Jr5MR0AHWKNAoGBAIf/
        evpitUf+4JYbLpvNXWcY052Mpz22aR84mY3nh3F2LF2mjMJDpTg7FmuyPcVw6EcG
        yoAe9fa65iNqCq+jdw6PVNGo2hxfjSiZ8IIzHdsPXI89//pMjZcQK9r+CCoRjaZj
        OYiIDktVWZzmevJuv6WywUqd57LE3Zar3dLSIkx1AoGAIYd7DHOhrWvxkwPQsRM2
        tOgrjbcrfvtQJipd+DlcxyVuuM9sQLdgjVk2oy26F0EmpScGLq2MowX7fhd/QJQ3
        ydy5cY7YIBi87w93IKLEdfnbJtoOPLUW0ITrJReOgo1cq9SbsxYawBgfp/gh6A56
        03k2+ZQwVK0JKSHuLFkuQ3U=
        -----END PRIVATE KEY-----
        """

    /// RFC 7515 appendix A.3.
    case p256 = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgjpsQnnGQmL+YBIff
        H1136cspYG6+0iY7X1fCE9+E9LKhRANCAAR/zc4ncPbEXUGDy+5v20t7WAczNXvp
        7xO6z248e9FURcfxRM0bvZt+hyzf7bnuufSzaV1uqQskrYpGIyiFiOWt
        -----END PRIVATE KEY-----
        """

    /// RFC 8037 appendix A.1.
    case ed25519 = """
        -----BEGIN PRIVATE KEY-----
        MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g
        -----END PRIVATE KEY-----
        """

    /// For the key of RFC 7515 appendix A.2; its common name is client-of-the-app.
    case rsaCertificate = """
        -----BEGIN CERTIFICATE-----
        MIIDLDCCAhSgAwIBAgIBATANBgkqhkiG9w0BAQsFADAuMRAwDgYDVQQKDAdFeGFt
        cGxlMRowGAYDVQQDDBFjbGllbnQtb2YtdGhlLWFwcDAgFw0yNjExMjIwNzUxMjBa
        GA8yMTI2MTAyOTA3NTEyMFowLjEQMA4GA1UECgwHRXhhbXBsZTEaMBgGA1UEAwwR
        Y2xpZW50LW9mLXRoZS1hcHAwggEiMA0GCSqGSIb3DQEBAQUAA4IBDwAwggEKAoIB
        AQCh+BYK4uPJtGXOjS1lYmM2K5J9vinh8CR3/BYlzJChNuOL2TSXxbbqY913EeZ8
        dCn5VrD7io8ImtxLaYk8wTM/U+3QGbh3hCUv7JFP5IV3aVlL6kKA0ywPVb9ilE8T
        A5a8bpvfbr3SvaNnjuygxmj3AbONv/s4yDQs4v5tJ/reSlpIdJed1LnPmt7Ex1sF
        hSwsD174pcF1A5L5ROjtZMEQxrZHYJqkeDrrnGya11UxMFBji4NmXG9veoKjlnAq
        H2QbgtPr8jkiGUkftoaHLFcW9Qr4NY2ai50Xw0Byj3+H2JoY2PyrZ62EWQwuz3WT
        OTY8BwNNb2BvniHgVFbK5emhAgMBAAGjUzBRMB0GA1UdDgQWBBQzGIiPp7+DkM3e
        011UielRYxna2TAfBgNVHSMEGDAWgBQzGIiPp7+DkM3e011UielRYxna2TAPBgNV
        HRMBAf8EBTADAQH/MA0GCSqGSIb3DQEBCwUAA4IBAQChem0XIPcp4BFaoWCmfRG4
        PErGxZNAqfaOmM/OxoOBcr3Civ/jHuB8YFHmN8esKRM1x13wcFb0fAfS8hnGLhH0
        S2xzjAySJ91ZJGL2OEkw+CJS0LdsBzhoHI23elSBYWDnH8ydlT2Xdsx92empUr5i
        97be6HYmeSEduv14YPVIQ9K08vi2o/XEZPIYfWXYxmObH87x8m7oySS+qa/h/+Xr
        g59yl1neVjmvqQ7u5hAsmAXKjP7X9Y17RFU38NwIJhLXsSDkJPuks2iSj+fhaWpG
        Gr0HfM43LSU3J2Ei88xD/8i2MywopuEZlHuo41MWzDxUVsz70qrtChF2/48T+fyU
        -----END CERTIFICATE-----
        """

    /// `rsa` with the last bit of its modulus cleared: it can be read, but cannot sign.
    package static var rsaWithEvenModulus: String { rsa.rawValue.replacing("5emhAgMBAAE", with: "5emgAgMBAAE") }

    package var description: String {
        switch self {
        case .rsa: "RSA"
        case .p256: "P-256"
        case .ed25519: "Ed25519"
        case .rsaCertificate: "a certificate"
        }
    }
}
