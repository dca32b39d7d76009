import HTTPWire

/// The `Proxy-Status` of a response to which another proxy or the backend has added one (RFC 9209).
///
/// Only Attaché itself speaks as `attache`: members of that name are dropped, the others keep their order, and
/// Attaché's own comes last. If a line of the field is not a list of members, the whole field is dropped, as every
/// reader has to ignore it (RFC 9651 section 4.2).
enum ForwardedProxyStatus {
    private static let ownIdentifier = "attache"

    /// Appends one line that replaces all of the head's.
    static func append(_ head: borrowing ResponseHead, in bytes: Span<UInt8>, to out: inout OutputBuffer) {
        out.append(text: "Proxy-Status: ")
        if isList(head, in: bytes) { appendOthers(head, in: bytes, to: &out) }
        out.append(text: "attache; received-status=")
        out.append(decimal: head.status)
        out.append(text: "\r\n")
    }

    private static func isList(_ head: borrowing ResponseHead, in bytes: Span<UInt8>) -> Bool {
        do throws(ProxyStatusMembers.Malformed) {
            for index in 0..<head.fields.count where head.fields[index].known == .proxyStatus {
                var members = ProxyStatusMembers(head.fields[index].value)
                while try members.next(in: bytes) != nil {}
            }
            return true
        } catch {
            return false
        }
    }

    private static func appendOthers(_ head: borrowing ResponseHead, in bytes: Span<UInt8>, to out: inout OutputBuffer)
    {
        for index in 0..<head.fields.count where head.fields[index].known == .proxyStatus {
            var members = ProxyStatusMembers(head.fields[index].value)
            while let member = try? members.next(in: bytes) {
                // Not every reader compares names with their case of letters.
                if ASCII.equalsIgnoringCase(bytes, member.identifier, ownIdentifier) { continue }
                out.append(copying: bytes, member.text)
                out.append(text: ", ")
            }
        }
    }
}
