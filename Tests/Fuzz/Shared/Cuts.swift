/// The places at which an input is cut: every one where it is short, else its ends and some that the input chooses.
func cuts(of bytes: [UInt8], every limit: Int) -> [Int] {
    guard bytes.count > limit else { return Array(0...bytes.count) }
    var state = bytes.reduce(UInt64(14_695_981_039_346_656_037)) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
    var places = Set([0, 1, bytes.count - 1, bytes.count])
    for _ in 0..<limit / 4 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        places.insert(Int(state >> 33) % bytes.count)
    }
    return places.sorted()
}
