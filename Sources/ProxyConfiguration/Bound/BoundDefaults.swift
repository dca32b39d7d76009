/// Reads a credential's keys from the file, or from the bound service if the file lacks them.
struct BoundDefaults {
    private let context: LoadContext

    init(_ context: LoadContext) {
        self.context = context
    }

    /// The value of `key`, reported as missing if neither has it.
    func take(
        _ key: CredentialKey, _ property: KeyPath<BoundService, String?>, _ keys: inout CredentialSection.Keys
    ) -> Setting? {
        if let setting = keys.take(key) { return setting }
        if let service = context.boundService, let text = service[keyPath: property] {
            return Setting(text: text, place: Place(path: service.path))
        }
        context.problems.add(
            keys.place, "\(key.rawValue) is missing; write it, or bind the app to the service (VCAP_SERVICES)")
        return nil
    }
}
