import ProxyCore
import TokenManager

/// Reads `caFile`: a PEM file that must exist and hold a certificate.
enum CAFileSetting {
    private static let byteLimit = 8 * 1024 * 1024

    static func read(_ setting: Setting, _ context: LoadContext) -> String? {
        guard let path = setting.text(context.problems, what: "the path of a PEM file"),
            let bytes = context.read(path, limit: byteLimit, for: setting.place)
        else { return nil }
        let marker = Array("CERTIFICATE-----".utf8)
        let holdsCertificate = bytes.indices.contains { start in
            bytes[start] == marker[0] && bytes[start...].starts(with: marker)
        }
        guard holdsCertificate else {
            context.problems.add(
                setting.place, "the file it names holds no certificate; it must be PEM (-----BEGIN CERTIFICATE-----)")
            return nil
        }
        let message =
            "the file it names holds no root certificate, so TLS handshakes that depend on it fail; add the self-signed "
            + "certificate at the end of the chain"
        context.check(.authorityWithoutRoot, setting.place) { files throws(FileError) in
            SigningKey.lacksRoot(authorities: try files.read(path, limit: byteLimit)) ? message : nil
        }
        return path
    }
}
