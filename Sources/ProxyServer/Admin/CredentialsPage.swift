import ProxyConfiguration
import TokenManager

/// The page `/credentials`: the state and the times of each credential, without secrets and tokens.
struct CredentialsPage {
    let configurations: [CredentialConfiguration]
    let statuses: [CredentialStatus]
    let moment: AdminMoment

    var document: JSONDocument {
        var members = JSONDocument.Members()
        members.add("time", moment.time(of: moment.now))
        members.add("credentials", JSONDocument.list(statuses.map { Self.object($0, self) }))
        return .object(members.list)
    }

    /// The object of one credential; nil if there is none of this name.
    func object(_ name: String) -> JSONDocument? {
        statuses.first { $0.name == name }.map { Self.object($0, self) }
    }

    private static func object(_ status: CredentialStatus, _ page: CredentialsPage) -> JSONDocument {
        let moment = page.moment
        let source = page.configurations.first { $0.name == status.name }?.source
        var members = JSONDocument.Members()
        members.add("name", status.name)
        members.add("type", source?.typeName)
        members.add("tokenServer", source?.tokenServer)
        members.add("required", JSONDocument.boolean(status.isRequired))
        members.add("ready", JSONDocument.boolean(status.isReady))
        members.add("state", status.state.rawValue)
        members.add("values", status.valueCount.map { JSONDocument.count($0) })
        members.add("receivedAt", moment.time(of: status.receivedAt))
        members.add("age", status.receivedAt.map { JSONDocument.seconds(max(.zero, moment.now - $0)) })
        let refreshAt = status.isUsable ? status.refreshAt : nil
        members.add("refreshAt", moment.time(of: refreshAt))
        members.add("refreshIn", moment.left(to: refreshAt))
        members.add("expiresAt", moment.time(of: status.expiresAt))
        members.add("expiresIn", moment.left(to: status.expiresAt))
        members.add("lastError", status.lastError.map { Self.error($0) })
        members.add("nextAttemptAt", moment.time(of: status.nextAttempt))
        members.add("nextAttemptIn", moment.left(to: status.nextAttempt))
        members.add(
            "certificateExpiresAt",
            status.certificateExpiresAt.flatMap { TimestampClock.text(ofSecond: Double($0)) })
        var fetches = JSONDocument.Members()
        fetches.add("success", JSONDocument.count(status.succeeded))
        fetches.add("failure", JSONDocument.count(status.failed))
        members.add("fetches", JSONDocument.object(fetches.list))
        return .object(members.list)
    }

    static func error(_ error: TokenError) -> JSONDocument {
        .object([("code", .text(error.code)), ("message", .text(error.message))])
    }
}
