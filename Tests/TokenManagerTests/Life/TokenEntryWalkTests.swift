import Support
import Testing
import TokenManager

/// Random events over years of simulated time, against rules that must hold whatever happens.
@Suite struct TokenEntryWalkTests {
    @Test("No order of events breaks the rules of a token's life", arguments: 1...16)
    func walk(seed: UInt64) {
        var walk = Walk(seed: seed)
        for _ in 0..<20_000 { walk.step() }
        walk.finish()
        #expect(walk.elapsed > .seconds(86_400 * 30))
        #expect(walk.succeeded > 500)
        #expect(walk.failed > 500)
        #expect(walk.served > 500)
        #expect(walk.fellBack > 50)
    }

    /// One entry with the smallest possible owner.
    private struct Walk: ~Copyable {
        private var entry = TokenEntry.empty
        private var random: SeededGenerator
        private var now = Sample.start
        private var isFetching = false
        private var waiting: Set<WaiterID> = []
        private var waiterCount = 0
        private var published: AccessToken?
        /// What a backend refused last, until it is replaced.
        private var refusedToken: AccessToken?
        private var forced = 0
        private(set) var fellBack = 0
        private var notBefore = Sample.start
        private var failures = 0
        private var refusals = 0
        private var fetches = 0
        private(set) var succeeded = 0
        private(set) var failed = 0
        private(set) var served = 0

        init(seed: UInt64) {
            random = SeededGenerator(seed: seed)
        }

        var elapsed: Duration { now - Sample.start }

        mutating func step() {
            switch Int.random(in: 0..<11, using: &random) {
            case 0...2: pass(.seconds(Double.random(in: 0...30, using: &random)))
            case 3: pass(.seconds(Double.random(in: 0...4000, using: &random)))
            case 4...5: passToWakeAt()
            case 6...7: acquire()
            case 8: leave()
            case 9: refuse()
            default: if isFetching { endFetch() }
            }
        }

        mutating func finish() {
            if isFetching { endFetch() }
            #expect(waiting.isEmpty, "a waiter was never answered")
            // A refresh at 70 % of a life of one second is the fastest that there is.
            #expect(Double(fetches - forced) <= elapsed / .seconds(0.7) + 1)
        }

        private mutating func pass(_ duration: Duration) {
            now += duration
            time()
        }

        private mutating func passToWakeAt() {
            if let wakeAt = entry.wakeAt { now = max(now, wakeAt) }
            time()
        }

        private mutating func time() {
            switch entry.timeReached(now, mayFetch: true) {
            case .fetch: beginFetch()
            case .withdraw: withdraw()
            case .withdrawAndFetch:
                withdraw()
                beginFetch()
            case .none: break
            }
            if let wakeAt = entry.wakeAt { #expect(wakeAt > now, "the entry sleeps over its own instant") }
            if let published { #expect(now < published.usableUntil, "a copy is held after the end") }
        }

        private mutating func withdraw() {
            #expect(published != nil, "what was never published is withdrawn")
            published = nil
        }

        private mutating func beginFetch() {
            #expect(!isFetching, "two fetches are in flight")
            #expect(now >= notBefore, "the back-off was beaten")
            isFetching = true
            fetches += 1
        }

        private mutating func acquire() {
            time()
            let waiter = WaiterID(waiterCount)
            waiterCount += 1
            let mayFetch = Int.random(in: 0..<8, using: &random) > 0
            switch entry.acquire(waiter, now: now, mayFetch: mayFetch) {
            case .serve(let token):
                served += 1
                #expect(now < token.usableUntil, "a token is served after its hard end")
                #expect(token == published)
            case .parkAndFetch:
                beginFetch()
                waiting.insert(waiter)
            case .park:
                #expect(isFetching, "a waiter is parked and nothing is in flight")
                waiting.insert(waiter)
            case .fail(let error):
                #expect(!isFetching, "a caller fails although a fetch is in flight")
                let promised = now + (error.retryAfter ?? .zero)
                #expect(promised >= notBefore && promised < notBefore + .microseconds(2))
            case .turnAway: #expect(!mayFetch && !isFetching && published == nil)
            }
        }

        private mutating func leave() {
            guard let waiter = waiting.randomElement(using: &random) else { return }
            #expect(entry.waiterLeft(waiter) == .forget)
            waiting.remove(waiter)
        }

        private mutating func refuse() {
            time()
            let token = entry.token
            switch entry.refused(now: now) {
            case .withdrawAndFetch:
                withdraw()
                beginFetch()
                forced += 1
            case .withdraw:
                withdraw()
                #expect(isFetching, "a refused token is replaced and nothing is in flight")
            case .none: return
            }
            #expect(token != nil)
            refusedToken = token
        }

        private mutating func endFetch() {
            time()
            isFetching = false
            if Bool.random(using: &random) { succeed() } else { fail() }
            if let wakeAt = entry.wakeAt { #expect(wakeAt > now) }
        }

        private mutating func succeed() {
            let life = Duration.seconds(Double.random(in: 1...5000, using: &random))
            let fraction = Double.random(in: 0..<1, using: &random)
            let token = AccessToken(value: "t\(fetches)", life: life, sent: now, received: now, random: fraction)
            switch entry.fetchSucceeded(token) {
            case .publish(let token, let waiters):
                answer(waiters)
                published = token
            }
            refusedToken = nil
            succeeded += 1
            failures = 0
            refusals = 0
        }

        private mutating func fail() {
            let isDefinitive = Int.random(in: 0..<4, using: &random) == 0
            let asked = Bool.random(using: &random) ? Duration.seconds(Int.random(in: 0...1000, using: &random)) : nil
            let failure = FetchFailure(error: Sample.error, isDefinitive: isDefinitive, retryAfter: asked)
            let fraction = Double.random(in: 0..<1, using: &random)
            if isDefinitive { refusals += 1 } else { failures += 1 }
            var pause = 5.0
            if isDefinitive {
                for _ in 1..<refusals where pause < 300 { pause = min(pause * 2, 300) }
            } else {
                pause = 1
                for _ in 1..<failures where pause < 60 { pause = min(pause * 2, 60) }
                pause *= 0.75 + 0.5 * fraction
            }
            // A microsecond for the rounding of the calculation here.
            notBefore = now + max(.seconds(pause), min(asked ?? .zero, .seconds(300))) - .microseconds(1)
            switch entry.fetchFailed(failure, now: now, random: fraction) {
            case .fail(_, let waiters):
                #expect(published == nil, "waiters fail although there is a token")
                #expect(refusedToken.map { now < $0.usableUntil } != true, "a refused token is no worse than none")
                answer(waiters)
            case .fallBack(let token, let waiters):
                fellBack += 1
                #expect(published == nil)
                #expect(token.value == refusedToken?.value, "another token than the refused one came back")
                #expect(now < token.usableUntil, "a token came back after its hard end")
                answer(waiters)
                published = token
            case .none: #expect(published != nil)
            }
            failed += 1
        }

        private mutating func answer(_ waiters: [WaiterID]) {
            #expect(Set(waiters) == waiting, "somebody else was answered than waits")
            #expect(waiters.count == waiting.count, "a waiter was answered twice")
            waiting = []
        }
    }
}
