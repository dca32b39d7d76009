import EventTransport
import HTTPWire
import ProxyCore
import TokenManager

/// The finished field line of every credential, as one worker holds it: reading one takes no lock and makes nothing.
///
/// Confined to the worker's loop; the token manager's news come by `update`.
final class CredentialTable {
    /// A finished line with its times.
    struct Slot {
        let line: AuthorizationLine
        let usableUntil: MonotonicInstant
        /// When the token came or its file was read.
        let obtainedAt: MonotonicInstant

        init(_ header: AuthorizationHeader) {
            line = AuthorizationLine(header)
            usableUntil = MonotonicInstant(header.askAgainAt)
            obtainedAt = header.obtainedAt.map { MonotonicInstant($0) } ?? .now
        }
    }

    private let names: [String]
    private let indices: [String: Int]
    /// For each credential, what of a request decides about its token; empty for an ordinary one.
    private let parameters: [[RequestParameter]]
    private var slots: [Slot?]
    /// As many as the token manager keeps: it tells of each that comes and goes.
    private var variants: [CredentialVariant.Key: CredentialVariant] = [:]
    private var usedVariants: [CredentialVariant] = []
    /// Filled anew for each request, so that looking a value up makes nothing.
    private var wanted = CredentialVariant.Key(credential: 0)
    private let tokens: TokenManager
    private let tokenLoop: EventLoop
    private let loop: EventLoop

    /// Empty until the token manager tells of a token.
    ///
    /// - Parameters:
    ///   - credentials: in the order of the indices that requests use.
    ///   - tokens: is asked where there is no token to use.
    ///   - tokenLoop: the loop that the token manager runs on.
    ///   - loop: the worker's.
    init(credentials: [CredentialConfiguration], tokens: TokenManager, tokenLoop: EventLoop, loop: EventLoop) {
        names = credentials.map(\.name)
        indices = Dictionary(names.enumerated().map { ($1, $0) }) { first, _ in first }
        parameters = credentials.map(\.parameters)
        self.tokens = tokens
        self.tokenLoop = tokenLoop
        self.loop = loop
        slots = Array(repeating: nil, count: names.count)
    }

    func name(of use: CredentialUse) -> String { names[use.index] }

    /// Which token a request needs; `reader` reads the parameters of the credential.
    ///
    /// - Throws: what the request lacks to say so.
    func use(
        _ index: Int, _ reader: ParameterReader, for head: borrowing RequestHead, in bytes: Span<UInt8>
    ) throws(ProxyError) -> CredentialUse {
        wanted.credential = index
        wanted.parameters.removeAll()
        try reader.fill(&wanted.parameters, from: head, in: bytes)
        if let variant = variants[wanted] {
            if !variant.isUsed {
                variant.isUsed = true
                usedVariants.append(variant)
            }
            return CredentialUse(index: index, variant: variant)
        }
        return CredentialUse(index: index, variant: CredentialVariant(wanted, try reader.values(in: head, bytes)))
    }

    /// What to attach, or nil where nothing may be used at that time.
    func slot(_ use: CredentialUse, at now: MonotonicInstant) -> Slot? {
        if let variant = use.variant {
            guard let slot = variant.slot, now < slot.usableUntil else { return nil }
            return slot
        }
        guard let slot = slots[use.index], now < slot.usableUntil else { return nil }
        return slot
    }

    /// The token manager's news of a credential, or of one of its values.
    func update(_ name: String, _ request: RequestParameters?, _ header: AuthorizationHeader?) {
        guard let index = indices[name] else { return }
        guard let request else {
            slots[index] = header.map(Slot.init)
            return
        }
        guard let parameters = ParameterKey(request, of: parameters[index]) else { return }
        let key = CredentialVariant.Key(credential: index, parameters: parameters)
        if let header {
            let variant = variants[key] ?? CredentialVariant(key, request)
            variant.slot = Slot(header)
            variants[key] = variant
        } else {
            variants.removeValue(forKey: key)?.slot = nil
        }
    }

    /// Asks the token manager, which fetches at most once for all who wait; `done` is called on this worker's loop.
    func acquire(_ use: CredentialUse, _ done: @escaping (Result<Slot, ProxyError>) -> Void) {
        let answer = LoopBound({ [self] result in finish(use, result, done) }, loop: loop)
        let (tokens, loop, name, request) = (tokens, loop, names[use.index], use.request)
        let used = takeUsed()
        Task(executorPreference: tokenLoop) {
            for (name, requests) in used { await tokens.used(name, by: requests) }
            let result: Result<AuthorizationHeader, TokenError>
            do throws(TokenError) {
                result = .success(try await tokens.authorizationHeader(for: name, request: request))
            } catch {
                result = .failure(error)
            }
            loop.execute { answer.value(result) }
        }
    }

    /// Tells the token manager that a backend refused `line`, and asks for another; `done` gets nil where there is none.
    func replace(_ use: CredentialUse, _ line: [UInt8], _ done: @escaping (Slot?) -> Void) {
        let answer = LoopBound({ [self] header in replaced(use, header, done) }, loop: loop)
        let (tokens, loop, name, request) = (tokens, loop, names[use.index], use.request)
        let value = AuthorizationLine.value(of: line)
        Task(executorPreference: tokenLoop) {
            let header = try? await tokens.authorizationHeader(for: name, insteadOf: value, request: request)
            loop.execute { answer.value(header) }
        }
    }

    private func replaced(
        _ use: CredentialUse, _ header: AuthorizationHeader?, _ done: (Slot?) -> Void
    ) {
        let slot = header.map(Slot.init)
        if let slot { keep(slot, use) }
        done(slot)
    }

    /// Tells the token manager that a backend refused `line`.
    func refused(_ use: CredentialUse, _ line: [UInt8]) {
        let (tokens, name, request) = (tokens, names[use.index], use.request)
        let value = AuthorizationLine.value(of: line)
        Task(executorPreference: tokenLoop) { await tokens.refused(value, for: name, request: request) }
    }

    /// Whose lines were used: the token manager does not see it otherwise, and lets go first what it has not heard of longest.
    private func takeUsed() -> [String: [RequestParameters]] {
        guard !usedVariants.isEmpty else { return [:] }
        var used: [String: [RequestParameters]] = [:]
        for variant in usedVariants {
            variant.isUsed = false
            used[names[variant.key.credential], default: []].append(variant.request)
        }
        usedVariants = []
        return used
    }

    private func finish(
        _ use: CredentialUse, _ result: Result<AuthorizationHeader, TokenError>,
        _ done: (Result<Slot, ProxyError>) -> Void
    ) {
        switch result {
        case .success(let header):
            let slot = Slot(header)
            keep(slot, use)
            done(.success(slot))
        case .failure(let error): done(.failure(ProxyError(error, hasSubject: use.request.bearerToken != nil)))
        }
    }

    /// Takes an answer up; what the token manager published meanwhile is newer.
    private func keep(_ slot: Slot, _ use: CredentialUse) {
        guard let variant = use.variant else {
            if slots[use.index] == nil { slots[use.index] = slot }
            return
        }
        let known = variants[variant.key]
        if known !== variant { variant.slot = slot }
        if let known, known.slot.map({ $0.usableUntil < slot.usableUntil }) ?? true { known.slot = slot }
    }
}

extension AuthorizationLine {
    fileprivate init(_ header: AuthorizationHeader) {
        self.init(name: header.name, value: header.value, binding: header.binding)
    }
}

extension ProxyError {
    /// Why no token could be had, for the app whose request waited for it; `hasSubject` if it brought one of its own.
    fileprivate init(_ error: TokenError, hasSubject: Bool) {
        switch error.kind {
        case .invalidParameter:
            self.init(.parameterUnusable, error.description)
            return
        case .subjectTokenUnusable:
            self.init(.subjectRefused, error.description)
            return
        // RFC 8693 section 2.2.2 names the first; many servers say the others.
        case .tokenServerRefused(_, "invalid_request"?) where hasSubject,
            .tokenServerRefused(_, "invalid_grant"?) where hasSubject,
            .tokenServerRefused(_, "invalid_token"?) where hasSubject:
            self.init(.subjectRefused, error.description)
            return
        default: break
        }
        let seconds = error.retryAfter.map { max(1, Int($0.components.seconds)) } ?? 1
        self.init(.credentialUnavailable, error.description, retryAfter: seconds)
    }
}
