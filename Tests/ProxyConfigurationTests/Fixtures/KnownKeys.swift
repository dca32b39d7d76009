import ProxyCore

@testable import ProxyConfiguration

/// Every key and word that the file may hold, those that come later included.
enum KnownKeys {
    static var all: [String] {
        let keys: [[String]] = [
            names(FileSection.Key.self), names(ListenerSection.Key.self), names(AllowSection.Key.self),
            names(AdminSection.Key.self),
            names(AccessLogSection.Key.self), names(AccessLogField.self), names(LimitsSection.Key.self),
            names(ShutdownSection.Key.self), names(TracingSection.Key.self),
            names(RouteSection.Key.self), names(RouteTLSSection.Key.self),
            names(UpstreamProxySection.Key.self), names(TimeoutsSection.Key.self),
            names(RefreshSection.ConditionKey.self), names(RefreshSection.Word.self),
            names(MatchSection.Key.self),
            names(CredentialKey.self), names(TokenServerSettings.TLSKey.self), names(SecretSetting.Key.self),
            names(CredentialType.self), names(ClientSection.Method.self), names(AssertionSection.Key.self),
            names(ListenerSection.Mode.self), names(DPoPSection.Key.self), names(ConnectSection.Key.self),
            names(ConnectPolicy.self), names(RouteSection.HostWord.self),
            ["default", "auto", "stdout", "stderr", "off", "system"],
        ]
        return Set(keys.joined()).sorted()
    }

    private static func names<Key: CaseIterable & RawRepresentable>(_: Key.Type) -> [String]
    where Key.RawValue == String {
        Key.allCases.map(\.rawValue)
    }
}
