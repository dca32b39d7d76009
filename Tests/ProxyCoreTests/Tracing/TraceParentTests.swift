import HTTPWire
import ProxyCore
import Testing

/// W3C Trace Context, sections 3.2 and 3.3.
@Suite struct TraceParentTests {
    static let example = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

    private func parent(_ text: String) -> TraceParent? {
        let bytes = Array("x\(text)y".utf8)
        return TraceParent(bytes.span, ByteRange(1, bytes.count - 1))
    }

    private func written(_ parent: TraceParent) -> String {
        var out = OutputBuffer()
        parent.append(to: &out)
        return out.withSpan { bytes in
            var copy: [UInt8] = []
            copy.append(copying: bytes)
            return String(decoding: copy, as: UTF8.self)
        }
    }

    @Test("A valid value is read and written again")
    func readAndWritten() throws {
        let parent = try #require(self.parent(Self.example))
        #expect(parent.traceID == TraceID(high: 0x0af7_6519_16cd_43dd, low: 0x8448_eb21_1c80_319c))
        #expect(parent.spanID == 0xb7ad_6b71_6920_3331)
        #expect(parent.isSampled && !parent.isRandom)
        #expect(written(parent) == Self.example)
    }

    @Test(
        "The flags sampled and random are read, and unknown ones are dropped",
        arguments: [
            ("00", false, false, "00"), ("01", true, false, "01"), ("02", false, true, "02"), ("03", true, true, "03"),
            ("ff", true, true, "03"), ("fc", false, false, "00"),
        ])
    func flags(_ digits: String, _ isSampled: Bool, _ isRandom: Bool, _ rewritten: String) throws {
        let parent = try #require(self.parent(Self.example.dropLast(2) + digits))
        #expect(parent.isSampled == isSampled && parent.isRandom == isRandom)
        #expect(written(parent) == Self.example.dropLast(2) + rewritten)
    }

    @Test("A higher version is read as version 00, with whatever follows a hyphen")
    func higherVersions() throws {
        for text in [
            "01\(Self.example.dropFirst(2))", "cc\(Self.example.dropFirst(2))-what-the-future-brings",
            "fe\(Self.example.dropFirst(2))-",
        ] {
            let parent = try #require(self.parent(text), "\(text)")
            #expect(written(parent) == Self.example)
        }
        #expect(parent("01\(Self.example.dropFirst(2)).x") == nil)
    }

    @Test(
        "Every other value is invalid",
        arguments: [
            "", "00", example.uppercased(), "00-0AF7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", example + "-",
            example + "-00",
            " " + example.dropFirst(), String(example.dropLast()), example.replacing("-", with: "_"),
            "ff" + example.dropFirst(2), "0g" + example.dropFirst(2),
            "00-00000000000000000000000000000000-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
            "00-0af7651916cd43dd8448eb211c80319-b7ad6b71692033310-01",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b716920333.-01",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0x",
        ])
    func invalid(_ text: String) {
        #expect(parent(text) == nil)
    }

    @Test("A request names its trace once, in a field of any case")
    func field() throws {
        func trace(_ fields: String) throws -> TraceParent? {
            let bytes = Array("GET / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n".utf8)
            let head = try #require(try RequestHead.parse(bytes.span, limits: HeadLimits()))
            return TraceFields.parent(of: head.fields, in: bytes.span)
        }
        #expect(try trace("") == nil)
        #expect(try trace("TraceParent:  \(Self.example) \r\n") == parent(Self.example))
        #expect(try trace("traceparent: \(Self.example)\r\ntraceparent: \(Self.example)\r\n") == nil)
        #expect(try trace("x-traceparent: \(Self.example)\r\n") == nil)
    }
}

@Suite struct TraceStateTests {
    private func state(_ values: [String]) throws -> String {
        let fields = values.map { "tracestate: \($0)\r\n" }.joined()
        let bytes = Array("GET / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n".utf8)
        let head = try #require(try RequestHead.parse(bytes.span, limits: HeadLimits()))
        return String(decoding: TraceState(of: head.fields, in: bytes.span).bytes, as: UTF8.self)
    }

    @Test(
        "Entries of all lines are joined in their order",
        arguments: [
            (["foo=1"], "foo=1"), (["foo=1,bar=2"], "foo=1,bar=2"), (["foo=1", "bar=2 , baz=3"], "foo=1,bar=2,baz=3"),
            (["", "foo=1", ""], "foo=1"), (["foo=1,,bar=2,"], "foo=1,bar=2"), ([], ""), ([""], ""),
            (["t61rcwkgmze@vendor-1/x*_=a b:c;d!", "1a=2"], "t61rcwkgmze@vendor-1/x*_=a b:c;d!,1a=2"),
            (["foo=1,foo=2"], "foo=1,foo=2"),
        ] as [([String], String)])
    func valid(_ values: [String], _ joined: String) throws {
        #expect(try state(values) == joined)
    }

    @Test(
        "One invalid entry drops all",
        arguments: [
            "foo", "foo=", "=1", "foo=1,Bar=2", "foo=1=2", "foo =1", "foo=\t", "_a=1",
            "\(String(repeating: "k", count: 257))=1", "k=\(String(repeating: "v", count: 257))",
            (1...33).map { "k\($0)=1" }.joined(separator: ","),
        ])
    func invalid(_ value: String) throws {
        #expect(try state([value]) == "")
        #expect(try state(["good=1", value]) == "")
    }

    @Test("The largest lists and entries are kept")
    func largest() throws {
        let list = (1...32).map { "k\($0)=1" }.joined(separator: ",")
        #expect(try state([list]) == list)
        let entry = "\(String(repeating: "k", count: 256))=\(String(repeating: "v", count: 256))"
        #expect(try state([entry]) == entry)
    }
}

@Suite struct TraceSamplerTests {
    private func parent(isSampled: Bool) -> TraceParent {
        TraceParent(traceID: TraceID(high: 1, low: 2), spanID: 3, isSampled: isSampled, isRandom: true)
    }

    @Test("A request of a trace follows its flag, whatever the share is", arguments: [0.0, 0.5, 1.0])
    func parentDecides(_ ratio: Double) throws {
        var sampler = TraceSampler(ratio: ratio, seed: (5, 6))
        let isUntraced = sampler.trace(continuing: parent(isSampled: false)) == nil
        #expect(isUntraced)
        let found = sampler.trace(continuing: parent(isSampled: true))
        let trace = try #require(found)
        #expect(trace.traceID == TraceID(high: 1, low: 2) && trace.isSampled && trace.isRandom)
        #expect(trace.spanID != 3 && trace.spanID != 0)
    }

    @Test(
        "Of the requests without a trace, a share begins one",
        arguments: [(0.0, 0...0), (0.01, 60...140), (0.5, 4_700...5_300), (1.0, 10_000...10_000)])
    func share(_ ratio: Double, _ expected: ClosedRange<Int>) {
        var sampler = TraceSampler(ratio: ratio, seed: (0x9e37_79b9_7f4a_7c15, 0xbf58_476d_1ce4_e5b9))
        var count = 0
        for _ in 0..<10_000 {
            guard let trace = sampler.trace(continuing: nil) else { continue }
            count += 1
            let isWhole = trace.isSampled && trace.isRandom && trace.spanID != 0
            #expect(isWhole)
        }
        #expect(expected.contains(count))
    }

    @Test("The traces with the highest 56 bits are the share, as with other samplers of OpenTelemetry")
    func highest() {
        var sampler = TraceSampler(ratio: 0.25, seed: (7, 8))
        for _ in 0..<1000 {
            guard let trace = sampler.trace(continuing: nil) else { continue }
            let isHigh = trace.traceID.low & 0xff_ffff_ffff_ffff >= 0xc0_0000_0000_0000
            #expect(isHigh)
        }
    }

    @Test("Identifiers do not repeat, and samplers with other seeds have others")
    func identifiers() {
        var seen: Set<UInt64> = []
        for seed in [(3, 4), (4, 3), (0, 0)] as [(UInt64, UInt64)] {
            var sampler = TraceSampler(ratio: 1, seed: seed)
            for _ in 0..<1000 { seen.insert(sampler.spanID()) }
        }
        #expect(seen.count == 3000)
    }
}
