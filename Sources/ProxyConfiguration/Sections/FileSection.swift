import ProxyCore

/// Reads the whole configuration file into a draft.
enum FileSection {
    enum Key: String, CaseIterable {
        case listeners
        case credentials
        case routes
        case unmatched
        case connect
        case allowAddresses
        case resolve
        case tls
        case cacheSize
        case limits
        case admin
        case accessLog
        case logLevel
        case logFormat
        case tracing
        case workers
        case shutdown
        case upstreamProxy
        case tokenServerProxy
        case reloadOnChange
    }

    private enum UnmatchedWord: String, CaseIterable {
        case deny
        case forward
    }

    static let maximumSize = 1024 * 1024

    /// Reads the file into the draft; false if the file could not be read as a configuration.
    static func read(path: String, into draft: inout Draft, _ context: LoadContext) -> Bool {
        let place = Place(file: KeyText.printable(path), path: "")
        draft.routesPlace = place.key(Key.routes.rawValue)
        draft.cacheSizePlace = place.key(Key.cacheSize.rawValue)
        switch top(of: path, context) {
        case .unreadable: return false
        case .empty:
            draft.isFileEmpty = true
            return true
        case .mapping(let setting):
            guard var keys = MappingReader<Key>(setting, context.problems) else { return false }
            read(&keys, into: &draft, context)
            keys.finish(context: "of a configuration")
            return true
        }
    }

    /// Reads `admin` only, and ignores the rest of the file.
    static func admin(path: String, _ context: LoadContext) -> ListenerConfiguration? {
        switch top(of: path, context) {
        case .unreadable, .empty: return nil
        case .mapping(let setting):
            guard var keys = MappingReader<Key>(setting, context.problems) else { return nil }
            return keys.take(.admin).flatMap { AdminSection.read($0, context) }
        }
    }

    private enum Top {
        case unreadable
        case empty
        case mapping(Setting)
    }

    private static func top(of path: String, _ context: LoadContext) -> Top {
        let place = Place(file: KeyText.printable(path), path: "")
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try context.files.read(path, limit: maximumSize)
        } catch {
            context.problems.add(place, "\(error.message); correct the file or \(OptionName.config.names)")
            return .unreadable
        }
        let document = YAMLDocument(bytes)
        for fault in document.faults {
            context.problems.add(Place(file: place.file, position: fault.position, path: ""), fault.message)
        }
        guard let root = document.root else { return document.faults.isEmpty ? .empty : .unreadable }
        if root.isNull { return .empty }
        return .mapping(Setting(node: root, place: Place(file: place.file, position: root.position, path: "")))
    }

    private static func read(_ keys: inout MappingReader<Key>, into draft: inout Draft, _ context: LoadContext) {
        let problems = context.problems
        if let setting = keys.take(.listeners) { listeners(setting, into: &draft, context) }
        if let setting = keys.take(.credentials) { CredentialList.read(setting, into: &draft, context) }
        if let tls = keys.take(.tls).flatMap({ RouteTLSSection.defaults($0, context) }) { draft.defaults.tls = tls }
        if let setting = keys.take(.upstreamProxy), let proxy = UpstreamProxySection.read(setting, context) {
            draft.defaults.upstreamProxy = proxy
            draft.parentPlaces.append((proxy, setting.place))
        }
        if let setting = keys.take(.tokenServerProxy), let proxy = UpstreamProxySection.read(setting, context) {
            draft.tokenServerProxy = proxy
            draft.parentPlaces.append((proxy, setting.place))
        }
        if let setting = keys.take(.routes) { routes(setting, into: &draft, context) }
        if let setting = keys.take(.unmatched) {
            let word = setting.word(UnmatchedWord.self, problems)
            draft.unmatched = word == .forward ? .forward : .deny
            if word == nil { draft.isRoutingFaulty = true }
        }
        if let setting = keys.take(.connect) {
            if let rules = ConnectSection.read(setting, context) {
                draft.connect = rules
            } else {
                draft.isRoutingFaulty = true
            }
        }
        if let names = keys.take(.resolve).flatMap({ ResolveSection.read($0, problems) }) { draft.resolve = names }
        if let setting = keys.take(.allowAddresses), let ranges = AddressRangeText.list(setting, problems) {
            (draft.allowAddresses, draft.allowAddressesPlace) = (ranges, setting.place)
        }
        if let setting = keys.take(.cacheSize), let size = setting.integer(1...100_000, problems) {
            (draft.cacheSize, draft.cacheSizePlace) = (size, setting.place)
        }
        if let limits = keys.take(.limits).flatMap({ LimitsSection.read($0, problems) }) { draft.limits = limits }
        if let setting = keys.take(.admin), let admin = AdminSection.read(setting, context) {
            draft.admin = (admin, setting.place)
        }
        if let log = keys.take(.accessLog).flatMap({ AccessLogSection.read($0, context) }) {
            draft.accessLog = log.destination ?? draft.accessLog
            draft.accessLogFields = log.fields ?? draft.accessLogFields
        }
        if let level = keys.take(.logLevel)?.word(LogLevel.self, problems) { draft.logLevel = level }
        if let format = keys.take(.logFormat)?.word(LogFormat.self, problems) { draft.logFormat = format }
        if let tracing = keys.take(.tracing).flatMap({ TracingSection.read($0, context) }) { draft.tracing = tracing }
        if let workers = keys.take(.workers).flatMap({ WorkersSetting.read($0, problems) }) { draft.workers = workers }
        if let setting = keys.take(.shutdown) { ShutdownSection.read(setting, into: &draft, problems) }
        if let reloads = keys.take(.reloadOnChange)?.boolean(problems) { draft.reloadsOnChange = reloads }
    }

    private static func listeners(_ setting: Setting, into draft: inout Draft, _ context: LoadContext) {
        draft.isListeningFaulty = true
        guard let items = setting.items(context.problems) else { return }
        guard !items.isEmpty else {
            context.problems.add(setting.place, "is empty; write an address, or leave the key out for 127.0.0.1:3128")
            return
        }
        let listeners = items.compactMap { ListenerSection.read($0, context) }
        draft.listeners = listeners
        draft.isListeningFaulty = listeners.count < items.count
    }

    private static func routes(_ setting: Setting, into draft: inout Draft, _ context: LoadContext) {
        draft.routesPlace = setting.place
        guard let items = setting.items(context.problems) else {
            draft.isRoutingFaulty = true
            return
        }
        for item in items {
            if let route = RouteSection.read(item, defaults: draft.defaults, context) {
                draft.routes.append(route)
                if let proxy = route.route.upstreamProxy, let place = route.proxyPlace {
                    draft.parentPlaces.append((proxy, place))
                }
            } else {
                draft.isRoutingFaulty = true
            }
        }
    }
}
