import HTTPWire
import ProxyCore

/// Warns of parent proxies that are listeners of the same process, and of `allowAddresses` that permits nothing or everything.
enum NetworkSettings {
    static func look(_ draft: Draft, _ warnings: WarningList) {
        for (proxy, place) in draft.parentPlaces {
            let own = draft.listenersOrDefault.map(\.listener).first { leads(to: $0, proxy) }
            guard let own else { continue }
            warnings.add(
                .loopDetected, place,
                "is the listener \(own) of this configuration, so every request through it would come back and get 508; write the "
                    + "address of another proxy")
        }
        lookAtAddresses(draft, warnings)
    }

    /// Whether a connection to the proxy reaches the listener; no name is resolved but `localhost`.
    private static func leads(to listener: ListenerConfiguration, _ proxy: UpstreamProxy) -> Bool {
        guard case .tcp(let host, let port) = listener.address, port == proxy.port, port != 0 else { return false }
        if host == proxy.host { return true }
        guard let asked = try? Host(proxy.host), asked.isLoopback else { return false }
        return host == "0.0.0.0" || host == "::" || proxy.host == "localhost" && listener.address.isLoopback
    }

    private static func lookAtAddresses(_ draft: Draft, _ warnings: WarningList) {
        guard !draft.allowAddresses.isEmpty, !draft.isRoutingFaulty else { return }
        let place = draft.allowAddressesPlace
        let opensTunnels = draft.routes.map(\.route).contains { route in
            (route.connect ?? (route.credential == nil ? nil : draft.connect.routes)) == .tunnel
        }
        guard draft.unmatched == .forward || opensTunnels || !draft.connect.allow.isEmpty else {
            warnings.add(
                .settingWithoutEffect, place,
                "has no effect, because it concerns only requests by unmatched: forward and tunnels, and this configuration has "
                    + "neither; remove it")
            return
        }
        for network in draft.allowAddresses where network.prefixLength == 0 {
            warnings.add(
                .addressesTooOpen, place,
                "has \(network), which permits every address of its kind: also those on this machine, and those at which clouds "
                    + "serve credentials; write only the ranges that the apps need")
        }
    }
}
