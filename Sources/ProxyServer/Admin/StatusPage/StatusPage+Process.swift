import EventTransport
import ProxyConfiguration
import ProxyCore

/// The connections, the resources and the versions on the status page.
extension StatusPage {
    var connectionSection: HTML {
        let tunnels = Tunnel.Kind.allCases.reduce(0) { $0 + metrics.tunnels[$1].open }
        var tiles: [HTML] = [
            tile("From apps", metrics.downstreamConnections, " of \(configuration.limits.connections)"),
            tile("To backends", metrics.upstreamConnections), tile("Open tunnels", tunnels),
            tile("Accepted", metrics.acceptedConnections, " in all"),
            tile("Refused", metrics.refusedConnections, isBad: metrics.refusedConnections > 0),
        ]
        if metrics.acceptPauses > 0 { tiles.append(tile("Accept pauses", metrics.acceptPauses, isBad: true)) }
        if metrics.droppedLogLines > 0 { tiles.append(tile("Lost log lines", metrics.droppedLogLines, isBad: true)) }
        if let process { tiles += self.tiles(of: process) }
        return "<h2>Connections and resources</h2><dl class=\"tiles\">\(tiles)</dl>"
    }

    private func tiles(of process: ProcessUsage) -> [HTML] {
        var tiles: [HTML] = []
        if let memory = process.residentMemoryByteCount {
            tiles.append("<div><dt>Memory</dt><dd>\(Figure.bytes(memory))</dd></div>")
        }
        let time = Figure.duration(.nanoseconds(Int64(process.cpuNanoseconds)))
        tiles.append("<div><dt>CPU time</dt><dd>\(time)</dd></div>")
        if let open = process.openDescriptorCount {
            let limit = process.descriptorLimit.map { " of \(Figure.grouped(UInt64($0)))" } ?? ""
            tiles.append(tile("Descriptors", open, limit))
        }
        return tiles
    }

    private func tile(_ name: HTML, _ value: some BinaryInteger, _ unit: String = "", isBad: Bool = false) -> HTML {
        let tone: HTML = isBad ? " class=\"alarm\"" : ""
        let number = Figure.grouped(UInt64(max(0, value)))
        return "<div><dt>\(name)</dt><dd\(tone)>\(number)<small>\(unit)</small></dd></div>"
    }

    /// The load of the configuration and the versions.
    var programSection: HTML {
        let versions = build.map { $0.parts.map { "\($0.name) \($0.version)" }.joined(separator: ", ") }
        return "\(loads)<p class=\"quiet\">\(versions ?? "")</p>"
    }

    private var loads: HTML {
        guard let reloads else { return "" }
        let age = Figure.duration(.seconds(Int64(moment.unixTime - reloads.lastSuccessAt)))
        let count = Figure.count(reloads.succeeded, "time")
        return "<p class=\"quiet\">Loaded \(age) ago, reloaded \(count).</p>"
    }
}
