import EventTransport
import HTTPWire
import ProxyCore

/// The requests to a listener whose users log in (`passwordFile`).
extension Exchange {
    /// What holds for the user of a request; nil if the request was refused.
    ///
    /// A request inside a terminated tunnel belongs to the user of its CONNECT, because an app sends no
    /// `Proxy-Authorization` to the destination of a tunnel.
    func logIn(
        _ head: borrowing RequestHead, in bytes: Span<UInt8>, by access: ClientAccess, _ connection: Admission
    ) -> Admission? {
        let known = downstream?.terminated == nil ? nil : downstream?.loggedIn
        do throws(ProxyError) {
            let admission: Admission
            if let known {
                admission = known
            } else {
                admission = try access.admission(of: head, in: bytes, from: connection.peer, at: loop.now)
            }
            record.client = admission.client
            if head.method == .connect { downstream?.loggedIn = admission }
            return admission
        } catch {
            refuse(error)
            return nil
        }
    }
}
