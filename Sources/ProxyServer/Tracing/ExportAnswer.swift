import FoundationEssentials

/// The collector's answer to a batch that it took (ExportTraceServiceResponse of OTLP): it may have rejected some of the spans.
struct ExportAnswer: Equatable {
    /// At most as many as the batch had.
    let rejectedCount: Int
    /// Why, as the collector wrote it, cut to 200 characters; empty if it does not say.
    let message: String

    private static let longestMessage = 200

    /// Reads the body of a 2xx response; one that is not such JSON rejects nothing.
    init(_ body: [UInt8], of count: Int) {
        let partial = (try? JSONDecoder().decode(Response.self, from: Data(body)))?.partialSuccess
        rejectedCount = min(max(0, partial?.rejectedSpans?.number ?? 0), count)
        message = String((partial?.errorMessage ?? "").prefix(Self.longestMessage))
    }

    private struct Response: Decodable {
        let partialSuccess: PartialSuccess?
    }

    private struct PartialSuccess: Decodable {
        let rejectedSpans: Integer?
        let errorMessage: String?
    }

    /// A 64-bit integer, which JSON of Protocol Buffers writes as a string or as a number.
    private struct Integer: Decodable {
        let number: Int

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let number = try? container.decode(Int.self) {
                self.number = number
            } else {
                number = Int(try container.decode(String.self)) ?? 0
            }
        }
    }
}
