private import FoundationEssentials

/// The service that a Cloud Foundry app is bound to, by `VCAP_SERVICES` and `VCAP_APPLICATION`.
///
/// The first instance under a key that begins with `AdvancedMobileAccess`, or else with `AppID`.
struct BoundService {
    /// Where it was found: `VCAP_SERVICES.AdvancedMobileAccess[0].credentials`.
    let path: String
    let clientID: String?
    let secret: String?
    /// Mobile Client Access.
    let serverURL: String?
    /// App ID.
    let oauthServerURL: String?
    /// `tenantId`, else the `application_id` of `VCAP_APPLICATION`.
    let appID: String?

    /// The service, or nil without one.
    ///
    /// Variables that cannot be read are reported, without any of their contents.
    static func find(in environment: [String: String], _ problems: ProblemList) -> BoundService? {
        guard let services: BoundServices = decode("VCAP_SERVICES", environment, problems), let label = services.label
        else { return nil }
        let path = "VCAP_SERVICES.\(label)[0].credentials"
        guard let credentials = services.credentials else {
            problems.add(
                Place(path: path), "is missing or contains values other than texts; bind the app to the service again")
            return nil
        }
        let needsApplication = credentials.tenantId == nil && credentials.oauthServerUrl == nil
        let application: BoundApplication? =
            needsApplication ? decode("VCAP_APPLICATION", environment, problems) : nil
        return BoundService(
            path: path, clientID: credentials.clientId, secret: credentials.secret, serverURL: credentials.serverUrl,
            oauthServerURL: credentials.oauthServerUrl, appID: credentials.tenantId ?? application?.applicationID)
    }

    private static func decode<Value: Decodable>(
        _ variable: String, _ environment: [String: String], _ problems: ProblemList
    ) -> Value? {
        guard let text = environment[variable], !text.isEmpty else { return nil }
        do {
            return try JSONDecoder().decode(Value.self, from: Data(text.utf8))
        } catch DecodingError.dataCorrupted {
            problems.add(Place(path: variable), "is not valid JSON; correct it or unset it")
        } catch {
            problems.add(Place(path: variable), "is JSON, but not in the form of Cloud Foundry; correct it or unset it")
        }
        return nil
    }
}

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
