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
