package import TokenManager

/// Where spans are sent, and for which requests.
package struct TracingConfiguration: Equatable, Sendable {
    /// A resource attribute of all spans.
    package struct Attribute: Equatable, Sendable {
        package let key: String
        package let value: String

        package init(key: String, value: String) {
            self.key = key
            self.value = value
        }
    }

    /// The address for spans as JSON by OTLP/HTTP.
    package var endpoint: TokenURL
    /// The share of the requests without a trace that are traced, from 0 to 1.
    package var sampleRatio: Double = 1
    /// The resource attributes, `service.name` among them.
    package var attributes: [Attribute]
    /// A file with fields for the collector, which may hold secrets; read again for each batch.
    package var headersFile: String?
    /// A PEM file with the authorities to trust; nil for the system's.
    package var caFile: String?

    package init(
        endpoint: TokenURL, sampleRatio: Double = 1,
        attributes: [Attribute] = [Attribute(key: "service.name", value: "attache")], headersFile: String? = nil,
        caFile: String? = nil
    ) {
        self.endpoint = endpoint
        self.sampleRatio = sampleRatio
        self.attributes = attributes
        self.headersFile = headersFile
        self.caFile = caFile
    }
}
