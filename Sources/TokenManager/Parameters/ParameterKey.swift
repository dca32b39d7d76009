import Signing

/// Distinguishes the tokens of one parameterised credential: the values in the order of its parameters.
///
/// A bearer token takes part as a digest, so that no table has a secret as a key.
package struct ParameterKey: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    private var bytes: [UInt8] = []

    /// An empty key, to be filled.
    package init() {}

    /// The key of one request; nil if it lacks a value.
    package init?(_ request: RequestParameters, of parameters: [RequestParameter]) {
        for parameter in parameters {
            guard let value = request[parameter] else { return nil }
            append(Array(value.utf8).span, of: parameter)
        }
    }

    /// Removes the values and keeps the memory.
    package mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    /// Adds the next parameter's value; case does not matter in a host.
    package mutating func append(_ value: Span<UInt8>, of parameter: RequestParameter) {
        switch parameter {
        case .host:
            for index in value.indices {
                let byte = value[index]
                bytes.append(byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte)
            }
            // No field's value and no host contains a zero.
            bytes.append(0)
        case .field:
            for index in value.indices { bytes.append(value[index]) }
            bytes.append(0)
        case .bearerToken:
            var token: [UInt8] = []
            for index in value.indices { token.append(value[index]) }
            bytes.append(contentsOf: SHA256(of: token).bytes)
        }
    }

    package var description: String { "<redacted>" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
