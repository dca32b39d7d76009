/// JSON Web Signatures made with another library, of the keys in `SampleKey`, the secret "s:e c/ret+", the time 1700000000.9
/// and the identifier "jti-1".
enum SampleSignature {
    /// HS256; the client "c id" to https://idp.test/token.
    static let clientSecret =
        "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJhdWQiOiJodHRwczovL2lkcC50ZXN0L3Rva2VuIiwiZXhwIjoxNzAwMDA"
        + "wMDYwLCJpYXQiOjE3MDAwMDAwMDAsImlzcyI6ImMgaWQiLCJqdGkiOiJqdGktMSIsInN1YiI6ImMgaWQifQ.SbnJXMtLOaqJ"
        + "ULGBTXmgGLfWO7dXOZLkrbXVGK-wPVc"

    /// As before, to https://idp.test.
    static let clientSecretForIssuer =
        "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJhdWQiOiJodHRwczovL2lkcC50ZXN0IiwiZXhwIjoxNzAwMDAwMDYwLCJ"
        + "pYXQiOjE3MDAwMDAwMDAsImlzcyI6ImMgaWQiLCJqdGkiOiJqdGktMSIsInN1YiI6ImMgaWQifQ.CpStPvM2sW1CK25PM2Rm"
        + "RcQprD15D3ASXx2owYnsCE4"

    /// RS256 with `kid` k1 and `x5t#S256`; the client "c id" to https://idp.test/token.
    static let rsaWithThumbprint =
        "eyJhbGciOiJSUzI1NiIsImtpZCI6ImsxIiwidHlwIjoiSldUIiwieDV0I1MyNTYiOiJlS3B2TjljbG5zR0pOTnFtSVVwdE1t"
        + "bUdxdmRoa2ZPSkxlNk5hcUktUEhjIn0.eyJhdWQiOiJodHRwczovL2lkcC50ZXN0L3Rva2VuIiwiZXhwIjoxNzAwMDAwMDYw"
        + "LCJpYXQiOjE3MDAwMDAwMDAsImlzcyI6ImMgaWQiLCJqdGkiOiJqdGktMSIsInN1YiI6ImMgaWQifQ.CLj154oCp2RpQzlya"
        + "gpdZR1875ElDRa3qw6zPjpVXzoggqAc5nLbjFQ3FP4ZEiBWjXeuTLFEXrW_xMczllPyvgV-ILgzvh5qG0EJJO-WN1tONPOUn"
        + "sM2YFtkWlXq8-V90yLJR0mOA_BX5xtEmNMJsDnbGOmoYrSqBddkJHitGS_C80G_evX9NDikHrXR4o5K9fCcSNsBxv47o8731"
        + "X5cv0RRBWGeBfmU0d_0h6rSA5PhT67671y8iYheuGYol2ntyBnBoz-8viOVRjdfhzTP-9rhI0Tb-Hp5Ie7D_wqUPNFr0Uc7U"
        + "3n0T15gY3jLdpjxqARouyDpbaJSzlX7yD-bnw"

    /// EdDSA; "me" about "you" to "them", for 300 s, with the claim scope.
    static let ed25519OfSubject =
        "eyJhbGciOiJFZERTQSIsInR5cCI6IkpXVCJ9.eyJhdWQiOiJ0aGVtIiwiZXhwIjoxNzAwMDAwMzAwLCJpYXQiOjE3MDAwMDA"
        + "wMDAsImlzcyI6Im1lIiwianRpIjoianRpLTEiLCJzY29wZSI6InIgdyIsInN1YiI6InlvdSJ9.ulyJHSz9jT9xJtmKfPR1T0"
        + "isroUeoYmJbLB-SWwtjwo3Umo-iB_Z6fjMTcqUdvw6Dz2ZknXmVzJ2tEdhW2igCA"

    /// RS256 with `x5c`; the timestamp alone.
    static let imfCertificate =
        "eyJhbGciOiJSUzI1NiIsIng1YyI6WyJNSUlETERDQ0FoU2dBd0lCQWdJQkFUQU5CZ2txaGtpRzl3MEJBUXNGQURBdU1SQXdE"
        + "Z1lEVlFRS0RBZEZlR0Z0Y0d4bE1Sb3dHQVlEVlFRRERCRmpiR2xsYm5RdGIyWXRkR2hsTFdGd2NEQWdGdzB5TmpFeE1qSXdO"
        + "elV4TWpCYUdBOHlNVEkyTVRBeU9UQTNOVEV5TUZvd0xqRVFNQTRHQTFVRUNnd0hSWGhoYlhCc1pURWFNQmdHQTFVRUF3d1JZ"
        + "MnhwWlc1MExXOW1MWFJvWlMxaGNIQXdnZ0VpTUEwR0NTcUdTSWIzRFFFQkFRVUFBNElCRHdBd2dnRUtBb0lCQVFDaCtCWUs0"
        + "dVBKdEdYT2pTMWxZbU0ySzVKOXZpbmg4Q1IzL0JZbHpKQ2hOdU9MMlRTWHhiYnFZOTEzRWVaOGRDbjVWckQ3aW84SW10eExh"
        + "WWs4d1RNL1UrM1FHYmgzaENVdjdKRlA1SVYzYVZsTDZrS0EweXdQVmI5aWxFOFRBNWE4YnB2ZmJyM1N2YU5uanV5Z3htajNB"
        + "Yk9Odi9zNHlEUXM0djV0Si9yZVNscElkSmVkMUxuUG10N0V4MXNGaFN3c0QxNzRwY0YxQTVMNVJPanRaTUVReHJaSFlKcWtl"
        + "RHJybkd5YTExVXhNRkJqaTRObVhHOXZlb0tqbG5BcUgyUWJndFByOGpraUdVa2Z0b2FITEZjVzlRcjROWTJhaTUwWHcwQnlq"
        + "MytIMkpvWTJQeXJaNjJFV1F3dXozV1RPVFk4QndOTmIyQnZuaUhnVkZiSzVlbWhBZ01CQUFHalV6QlJNQjBHQTFVZERnUVdC"
        + "QlF6R0lpUHA3K0RrTTNlMDExVWllbFJZeG5hMlRBZkJnTlZIU01FR0RBV2dCUXpHSWlQcDcrRGtNM2UwMTFVaWVsUll4bmEy"
        + "VEFQQmdOVkhSTUJBZjhFQlRBREFRSC9NQTBHQ1NxR1NJYjNEUUVCQ3dVQUE0SUJBUUNoZW0wWElQY3A0QkZhb1dDbWZSRzRQ"
        + "RXJHeFpOQXFmYU9tTS9PeG9PQmNyM0Npdi9qSHVCOFlGSG1OOGVzS1JNMXgxM3djRmIwZkFmUzhobkdMaEgwUzJ4empBeVNK"
        + "OTFaSkdMMk9Fa3crQ0pTMExkc0J6aG9ISTIzZWxTQllXRG5IOHlkbFQyWGRzeDkyZW1wVXI1aTk3YmU2SFltZVNFZHV2MTRZ"
        + "UFZJUTlLMDh2aTJvL1hFWlBJWWZXWFl4bU9iSDg3eDhtN295U1MrcWEvaC8rWHJnNTl5bDFuZVZqbXZxUTd1NWhBc21BWEtq"
        + "UDdYOVkxN1JGVTM4TndJSmhMWHNTRGtKUHVrczJpU2orZmhhV3BHR3IwSGZNNDNMU1UzSjJFaTg4eEQvOGkyTXl3b3B1RVps"
        + "SHVvNDFNV3pEeFVWc3o3MHFydENoRjIvNDhUK2Z5VSJdfQ.eyJ0aW1lc3RhbXAiOjE3MDAwMDAwMDA5MDB9.MtJ4s2n525zm"
        + "C5Y501MMXHhYFBCDprfXc4OHqkHG2AT6_Oyvz1TAoQSlLqAjpkuKlylgI5VA3UTxjMTIYnXwVSLVMdupEHjJpM8EDgRPX_P7"
        + "DPb6rnDeWR38rJ3rcsXmLNvbBriQC9vvVJ7IryXCSC9_3nVWh1LA0XNtO6zX449DeAjCMZHB1zz1KoM9tJvFDo16ZGQd8GBp"
        + "msQH0E12d18xjUyIfejKi34eGS_OVS8DDtXW3nFNRzRvWKVAOgDzXIvNHxGjfWFUWB_SKEcJKQO48aq2mhck5iyl-LeKHevf"
        + "9Sg8MNyoG9uCK-yNTTjAMeq596sgUoNpi_RuWR4zaQ"
}
