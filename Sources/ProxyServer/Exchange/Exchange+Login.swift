import EventTransport
import HTTPWire
import ProxyCore

/// The requests to a listener whose users log in (`passwordFile`).
extension Exchange {
    /// What holds for the user of a request; nil if the request was refused.
    func logIn(
        _ head: borrowing RequestHead, in bytes: Span<UInt8>, by access: ClientAccess, _ connection: Admission
    ) -> Admission? {
        do throws(ProxyError) {
            let admission = try admission(of: head, in: bytes, by: access, connection)
            record.client = admission.client
            return admission
        } catch {
            // An app cannot log in inside a tunnel, so it has to open another one.
            if downstream?.terminated != nil { summary.isPersistent = false }
            refuse(error)
            return nil
        }
    }

    /// A request inside a terminated tunnel belongs to the user of its CONNECT, because an app sends no
    /// `Proxy-Authorization` to the destination of a tunnel.
    private func admission(
        of head: borrowing RequestHead, in bytes: Span<UInt8>, by access: ClientAccess, _ connection: Admission
    ) throws(ProxyError) -> Admission {
        guard let tunnel = downstream?.terminated, let login = tunnel.login else {
            return try access.admission(of: head, in: bytes, from: connection.peer)
        }
        if login.access === access, login.userGeneration == access.userGeneration { return login.admission }
        // After a reload, other routes and other users may hold, and after a change of the file other users.
        let admission = try access.admission(ofKnown: login.user, from: connection.peer)
        tunnel.login = TunnelLogin(login.user, admission, by: access)
        return admission
    }
}
