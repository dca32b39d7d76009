import EventTransport
import HTTPWire
import ProxyCore

/// The requests inside a CONNECT tunnel that Attaché terminates (`connect: terminate`).
extension Exchange {
    /// Lets the app's next requests come as to the destination of its CONNECT.
    func terminate(_ tunnel: TerminatedTunnel, _ login: TunnelLogin?) {
        guard let downstream else { return }
        record.note(route: tunnel.route)
        guard !downstream.machine.isDraining else {
            return refuse(ProxyError(.shutdown, "attache is stopping, and takes no further requests", retryAfter: 1))
        }
        decisions?.note(.tunnelTerminated, self, ["route": router.routeName(tunnel.route)])
        downstream.terminated = ServedTunnel(tunnel, login)
        machine.answeredLocally()
        record.status = 200
        summary.isPersistent = true
        write { out, _ in out.append(text: Self.established) }
    }

    /// Serves a request whose target names no host as if it had come in absolute-form.
    func begin(_ head: borrowing RequestHead, in bytes: Span<UInt8>, inside tunnel: TerminatedTunnel) {
        guard let downstream else { return }
        record.note(route: tunnel.route)
        guard tunnel.isNamed(by: head, in: bytes) else { return refuse(Refusals.otherHost(than: tunnel)) }
        let absolute = tunnel.absolute(head, in: bytes)
        let limits = HeadLimits(
            headBytes: headLimits.headBytes + tunnel.addedByteCount, fieldCount: headLimits.fieldCount)
        record.forgetHead()
        do throws(MessageError) {
            guard let head = try RequestHead.parse(absolute.span, limits: limits, fields: worker.requestFields) else {
                preconditionFailure("a complete head became incomplete in absolute-form")
            }
            begin(head, in: absolute.span, from: downstream)
        } catch {
            refuse(error, in: absolute.span)
        }
    }

    /// Ends a tunnel in which the app speaks TLS, by an alert that its TLS library names.
    func refuseTLS(inside tunnel: TerminatedTunnel) {
        let error = Refusals.tls(inside: tunnel)
        record.note(route: tunnel.route)
        record.error = error
        decisions?.failed(.requestRefused, self, error)
        machine.answeredLocally()
        write { out, _ in
            // A fatal alert, access_denied, in a record of TLS 1.0, as every version takes it (RFC 8446 section 6).
            for byte in [21, 3, 1, 0, 2, 2, 49] as [UInt8] { out.append(byte) }
        }
    }
}
