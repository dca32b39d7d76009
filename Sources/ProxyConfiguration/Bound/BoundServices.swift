/// The part of `VCAP_SERVICES` that Attaché reads; other services may have any form.
struct BoundServices: Decodable {
    struct Instance: Decodable {
        let credentials: Credentials
    }

    struct Credentials: Decodable {
        let clientId: String?
        let secret: String?
        let serverUrl: String?
        let oauthServerUrl: String?
        let tenantId: String?
    }

    private struct Label: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// The chosen key.
    let label: String?
    /// The credentials of its first instance; nil if they have another form.
    let credentials: Credentials?

    init(from decoder: any Decoder) throws {
        let services = try decoder.container(keyedBy: Label.self)
        // A JSON object has no order; sorting makes the choice the same at every start.
        let labels = services.allKeys.sorted { $0.stringValue < $1.stringValue }
        let label =
            labels.first { $0.stringValue.hasPrefix("AdvancedMobileAccess") }
            ?? labels.first { $0.stringValue.hasPrefix("AppID") }
        self.label = label?.stringValue
        guard let label, var instances = try? services.nestedUnkeyedContainer(forKey: label), !instances.isAtEnd else {
            credentials = nil
            return
        }
        credentials = try? instances.decode(Instance.self).credentials
    }
}

/// The part of `VCAP_APPLICATION` that Attaché reads.
struct BoundApplication: Decodable {
    let applicationID: String?

    private enum CodingKeys: String, CodingKey {
        case applicationID = "application_id"
    }
}
