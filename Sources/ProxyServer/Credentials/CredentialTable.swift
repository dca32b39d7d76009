import EventTransport
import HTTPWire
import ProxyCore
import TokenManager

/// One worker's table of the finished header lines of all credentials; reading it takes no lock and allocates nothing.
///
/// Confined to the worker's loop. The token manager changes it by `update`.
final class CredentialTable {
    /// A finished header line with its times.
    ///
    /// A class, so that a request retains one reference instead of one for each part.
    final class Slot {
        /// What the token manager issued; a report of a refusal names the token by its generation.
        let header: AuthorizationHeader
        let line: AuthorizationLine
        /// Whether the token is bound to a key, so that each sending needs a proof beside the line.
        let needsProof: Bool
        let usableUntil: MonotonicInstant
        /// The time at which the token was received or its file was read.
        let obtainedAt: MonotonicInstant

        init(_ header: AuthorizationHeader) {
            self.header = header
            line = AuthorizationLine(header)
            needsProof = header.binding != nil
            usableUntil = MonotonicInstant(header.askAgainAt)
            obtainedAt = header.obtainedAt.map { MonotonicInstant($0) } ?? .now
        }

        /// Appends a head and the line to `out`; here, because a caller would retain the line for each request.
        func finish(_ head: borrowing UpstreamRequestHead, proof: String?, to out: inout OutputBuffer) {
            head.append(with: line, proof: proof, to: &out)
        }
    }

    /// The names by number; several numbers may have one name.
    private var names: [String]
    /// The parts of a request that select the token, for each credential; empty for an ordinary credential.
    private var parameters: [[RequestParameter]]
    private let slots: Confined<[Slot?]>
    /// The variants that the token manager keeps; it reports each change.
    private var variants: [CredentialVariant.Key: CredentialVariant] = [:]
    private var usedVariants: [CredentialVariant] = []
    /// The key of the current lookup; reused, so that a lookup allocates nothing.
    private var wanted = CredentialVariant.Key(credential: 0)
    private let tokens: TokenManager
    private let tokenLoop: EventLoop
    private let loop: EventLoop

    /// An empty table, which the token manager fills.
    ///
    /// - Parameters:
    ///   - credentials: The credentials, in the order of the numbers that requests use.
    ///   - tokens: The token manager, which is asked if no token is usable.
    ///   - tokenLoop: The loop of the token manager.
    ///   - loop: The loop of the worker.
    init(credentials: [CredentialConfiguration], tokens: TokenManager, tokenLoop: EventLoop, loop: EventLoop) {
        names = credentials.map(\.name)
        parameters = credentials.map(\.parameters)
        self.tokens = tokens
        self.tokenLoop = tokenLoop
        self.loop = loop
        slots = Confined(Array(repeating: nil, count: names.count))
    }

    /// Makes room for credentials that follow the known ones; known numbers change nothing.
    func add(_ credentials: [CredentialConfiguration], numbers: [Int]) {
        for (credential, number) in zip(credentials, numbers) where number == names.count {
            names.append(credential.name)
            parameters.append(credential.parameters)
            slots.value.append(nil)
        }
    }

    /// Forgets the tokens of all credentials but these.
    func forgetTokens(except kept: Set<Int>) {
        for number in slots.value.indices where !kept.contains(number) { slots.value[number] = nil }
        variants = variants.filter { kept.contains($0.key.credential) }
        usedVariants.removeAll { !kept.contains($0.key.credential) }
    }

    func name(of use: CredentialUse) -> String { names[use.number] }

    /// The value that a request needs; `reader` reads the parameters of the credential.
    ///
    /// - Throws: The error of a request that lacks a parameter.
    @inline(never)
    func variant(
        of number: Int, _ reader: ParameterReader, for head: borrowing RequestHead, in bytes: Span<UInt8>
    ) throws(ProxyError) -> CredentialVariant {
        wanted.credential = number
        wanted.parameters.removeAll()
        try reader.fill(&wanted.parameters, from: head, in: bytes)
        if let variant = variants[wanted] {
            if !variant.isUsed {
                variant.isUsed = true
                usedVariants.append(variant)
            }
            return variant
        }
        return CredentialVariant(wanted, try reader.values(in: head, bytes))
    }

    /// Gives an exchange the newest line of the credential that it needs, if any.
    ///
    /// - Returns: false if it needs one and none is usable at that time.
    func lend(to exchange: inout ExchangeState, at now: MonotonicInstant) -> Bool {
        guard let number = exchange.credentialNumber else { return true }
        if exchange.hasVariant { return exchange.takeVariant(at: now) }
        return exchange.take(slots.value[number], at: now)
    }

    /// Applies a change of a credential, or of one of its values, from the token manager.
    func update(_ number: Int, _ request: RequestParameters?, _ header: AuthorizationHeader?) {
        guard let request else {
            slots.value[number] = header.map(Slot.init)
            return
        }
        guard let parameters = ParameterKey(request, of: parameters[number]) else { return }
        let key = CredentialVariant.Key(credential: number, parameters: parameters)
        if let header {
            let variant = variants[key] ?? CredentialVariant(key, request)
            variant.slot = Slot(header)
            variants[key] = variant
        } else {
            variants.removeValue(forKey: key)?.slot = nil
        }
    }

    /// Asks the token manager, which fetches once for all waiting requests; `done` is called on this worker's loop.
    func acquire(_ use: CredentialUse, _ done: @escaping (Result<Slot, ProxyError>) -> Void) {
        let answer = LoopBound({ [self] result in finish(use, result, done) }, loop: loop)
        let (tokens, loop, name, number, request) = (tokens, loop, names[use.number], use.number, use.request)
        let used = takeUsed()
        Task(executorPreference: tokenLoop) {
            let result: Result<AuthorizationHeader, TokenError>
            do throws(TokenError) {
                result = .success(
                    try await tokens.authorizationHeader(for: name, version: number, request: request, noting: used))
            } catch {
                result = .failure(error)
            }
            loop.execute { answer.value(result) }
        }
    }

    /// Reports to the token manager that a backend refused a token, and asks for another; `done` gets nil if none is
    /// available.
    func replace(_ use: CredentialUse, _ refused: Slot, _ done: @escaping (Slot?) -> Void) {
        let answer = LoopBound({ [self] header in replaced(use, header, done) }, loop: loop)
        let (tokens, loop, name, number, request) = (tokens, loop, names[use.number], use.number, use.request)
        let generation = refused.header.generation
        Task(executorPreference: tokenLoop) {
            let header = try? await tokens.authorizationHeader(
                for: name, version: number, insteadOf: generation, request: request)
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

    /// Reports to the token manager that a backend refused a token.
    func refused(_ use: CredentialUse, _ slot: Slot) {
        let (tokens, name, number, request) = (tokens, names[use.number], use.number, use.request)
        let generation = slot.header.generation
        Task(executorPreference: tokenLoop) {
            await tokens.refused(generation, for: name, version: number, request: request)
        }
    }

    /// The values used since the last call.
    ///
    /// The token manager drops the least recently used values, and learns of their use only here.
    private func takeUsed() -> [TokenManager.Uses] {
        guard !usedVariants.isEmpty else { return [] }
        var used: [Int: [RequestParameters]] = [:]
        for variant in usedVariants {
            variant.isUsed = false
            used[variant.key.credential, default: []].append(variant.request)
        }
        usedVariants = []
        return used.map { TokenManager.Uses(names[$0], version: $0, by: $1) }
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

    /// Keeps a token from the token manager, unless the token manager has published a newer one.
    private func keep(_ slot: Slot, _ use: CredentialUse) {
        guard let variant = use.variant else {
            if slots.value[use.number] == nil { slots.value[use.number] = slot }
            return
        }
        let known = variants[variant.key]
        if known !== variant { variant.slot = slot }
        if let known, known.slot.map({ $0.usableUntil < slot.usableUntil }) ?? true { known.slot = slot }
    }
}

extension AuthorizationLine {
    fileprivate convenience init(_ header: AuthorizationHeader) {
        self.init(name: header.name, value: header.value, binding: header.binding)
    }
}

extension ProxyError {
    /// The error for an app whose request waited for the token; `hasSubject` says whether the request carries a token
    /// of its own.
    fileprivate init(_ error: TokenError, hasSubject: Bool) {
        switch error.kind {
        case .invalidParameter:
            self.init(.parameterUnusable, error.description)
            return
        case .tokenServerLeadsBack:
            self.init(.loop, error.description)
            return
        case .subjectTokenUnusable:
            self.init(.subjectRefused, error.description)
            return
        // RFC 8693 section 2.2.2 names the first code; many servers send the others.
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

/// One value of a parameterised credential, with the header line for its requests.
///
/// Confined to the worker's loop. Variants in the table are kept up to date; one that is not in the table belongs to one
/// exchange.
final class CredentialVariant {
    /// The identity of a value among those of all credentials.
    struct Key: Hashable {
        var credential: Int
        var parameters = ParameterKey()
    }

    let key: Key
    let request: RequestParameters
    var slot: CredentialTable.Slot?
    /// Whether a request has used it since the last report to the token manager.
    var isUsed = false

    init(_ key: Key, _ request: RequestParameters) {
        self.key = key
        self.request = request
    }
}

/// The token that a request needs: the credential, and one of its values.
struct CredentialUse {
    /// The number of the credential.
    let number: Int
    /// Nil if the credential has one token for all requests.
    let variant: CredentialVariant?

    /// The parameters of the request that select the token.
    var request: RequestParameters { variant?.request ?? RequestParameters() }
}
