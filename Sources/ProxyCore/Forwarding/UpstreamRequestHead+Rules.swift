import HTTPWire

extension UpstreamRequestHead {
    /// The settings for rewriting heads to one destination; made once, and confined to the worker's loop.
    package final class Rules {
        package let host: HostLine
        /// The field for the credential; nil if the route attaches none.
        package let credentialName: [UInt8]?
        let hasCredential: Bool
        package let keepsAuthorization: Bool
        /// The path before that of each request; empty, or without a slash at its end.
        let path: [UInt8]
        /// Whether `Host` is the authority that the app has named.
        let preservesHost: Bool
        /// The credentials for the parent proxy that gets the request in absolute-form; nil for origin-form.
        let parent: ParentAuthorization?
        /// Whether a request goes in origin-form, keeps its path and gets the backend's authority.
        let isDirect: Bool
        /// The fields that are not forwarded, in lower case: those that only select a token, and for a traced request the app's
        /// trace.
        private let droppedNames: [[UInt8]]
        let hasDroppedNames: Bool
        /// Whether a proof is written after the credential; the app's own proof is dropped then.
        package let provesPossession: Bool
        let via: ViaName
        // Copies of lines that each request needs: reading an array in another object would retain both.
        let hostLine: OutputBuffer
        let via11: OutputBuffer
        let via10: OutputBuffer
        /// No other rules of this process have this number, by which rewritten fields are known again; nil if none are to
        /// be known.
        let number: Int?

        /// The same rules for a traced request, whose own trace is not forwarded.
        package private(set) lazy var traced = Rules(
            host: host, credentialName: credentialName, keepsAuthorization: keepsAuthorization,
            provesPossession: provesPossession, droppedNames: droppedNames + TraceFields.names, path: path,
            preservesHost: preservesHost, via: via, parent: parent)

        /// `credentialName`, or nil if that is `Authorization`, which the parser has recognised already.
        let unusualName: [UInt8]?

        package init(
            number: Int? = nil, host: HostLine, credentialName: [UInt8]?, keepsAuthorization: Bool,
            provesPossession: Bool = false,
            droppedNames: [[UInt8]] = [], path: [UInt8] = [], preservesHost: Bool = false, via: ViaName = ViaName(),
            parent: ParentAuthorization? = nil
        ) {
            self.number = number
            self.via = via
            hostLine = OutputBuffer(host.bytes)
            via11 = OutputBuffer(via.line11)
            via10 = OutputBuffer(via.line10)
            self.path = path
            self.preservesHost = preservesHost
            self.parent = parent
            isDirect = path.isEmpty && !preservesHost && parent == nil
            self.provesPossession = provesPossession
            self.host = host
            self.droppedNames = droppedNames
            hasDroppedNames = !droppedNames.isEmpty
            self.credentialName = credentialName
            hasCredential = credentialName != nil
            self.keepsAuthorization = keepsAuthorization
            unusualName = credentialName == Array("authorization".utf8) ? nil : credentialName
        }

        func drops(_ field: FieldLine, in bytes: Span<UInt8>) -> Bool {
            for name in droppedNames where ASCII.equalsIgnoringCase(bytes, field.name, name) { return true }
            return false
        }

        /// Whether a backend may read the field as the credential's, if that is not `Authorization`.
        func isTakenForCredential(_ field: FieldLine, in bytes: Span<UInt8>) -> Bool {
            guard let unusualName else { return false }
            return ASCII.isSameVariable(bytes, field.name, unusualName)
        }

        /// Whether the app's own credential field stays; another spelling (`X_Api_Key`) never does.
        func keeps(_ field: FieldLine, in bytes: Span<UInt8>) -> Bool {
            guard keepsAuthorization, let unusualName else { return false }
            return ASCII.equalsIgnoringCase(bytes, field.name, unusualName)
        }
    }
}
