import Testing

@testable import TokenManager

@Suite struct CredentialVariantsTests {
    @Test func `An ordinary credential has no values`() throws {
        let configuration = try CredentialConfiguration.client()
        #expect(CredentialVariants(configuration, CredentialKind(configuration)) == nil)
    }

    @Test func `A request selects the value that it names, whatever else it says`() throws {
        let variants = try SampleStore.variants()
        let request = RequestParameters(host: "X.test", fields: ["other": "o"])
        #expect(variants.holder(for: request) == nil)
        let variant = try variants.variant(for: request, Sample.start, unixTime: 0)
        #expect(variant.request == RequestParameters(host: "x.test"))
        let holder = variants.keep(variant)
        #expect(holder.name == "p")
        #expect(variants.holder(for: RequestParameters(host: "x.test")) === holder)
        variants.forget(variant)
        #expect(variants.holders.isEmpty)
    }

    @Test func `A request that names no value is refused`() throws {
        let variants = try SampleStore.variants()
        #expect {
            _ = try variants.variant(for: RequestParameters(), Sample.start, unixTime: 0)
        } throws: {
            ($0 as? TokenError)?.kind == .invalidParameter && ($0 as? TokenError)?.credential == "p"
        }
    }

    @Test func `After an outage a value that has had a token tries first`() throws {
        let variants = try SampleStore.variants()
        let proven = try variants.variant(for: RequestParameters(host: "x"), Sample.start, unixTime: 0)
        let unknown = try variants.variant(for: RequestParameters(host: "y"), Sample.start, unixTime: 0)
        let fetch = ObjectIdentifier(variants)
        variants.fetchSucceeded(proven.key)
        variants.fetchFailed(fetch, for: proven.request, Sample.failure, Sample.start, random: 0.5)
        #expect(variants.refusal(of: proven.key, at: Sample.at(0.9)) != nil)
        #expect(variants.refusal(of: proven.key, at: Sample.at(1)) == nil)
        #expect(variants.refusal(of: unknown.key, at: Sample.at(1)) != nil)
        #expect(variants.refusal(of: unknown.key, at: Sample.at(2)) == nil)
        variants.secretsChanged()
        #expect(variants.refusal(of: unknown.key, at: Sample.start) == nil)
    }
}
