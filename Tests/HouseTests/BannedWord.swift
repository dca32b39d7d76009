import Testing

/// A construct that the code goes without, except in the files that `Exception.all` names.
enum BannedWord: String, CaseIterable, CustomTestStringConvertible {
    case foundation = "import Foundation"
    case uncheckedSendable = "@unchecked Sendable"
    case unsafeIsolation = "nonisolated(unsafe)"
    case unstructuredTask = "Task {"
    case printing = "print("
    case fatalError = "fatalError("
    case exit = "exit("
    case wallClock = "Date("
    case dispatchQueue = "DispatchQueue"
    case unsafeCode = "unsafe"
    case mutex = "Mutex"
    case interpolatedLog = "interpolation in a log message"

    var testDescription: String { rawValue }

    /// The lines of a file that break the rule, from 1.
    func lines(in file: SourceFile) -> [Int] {
        // Unicode's own word boundary, the default, sees none at the dot of `a.b`.
        let pattern = pattern.wordBoundaryKind(.simple)
        let lines = self == .interpolatedLog ? file.lines : file.code
        return lines.indices.filter { lines[$0].contains(pattern) }.map { $0 + 1 }
    }

    private var pattern: Regex<Substring> {
        switch self {
        case .foundation: /\bimport\s+(?:\w+\s+)?Foundation\b/
        case .uncheckedSendable: /@unchecked\s+Sendable\b/
        case .unsafeIsolation: /\bnonisolated\s*\(\s*unsafe\s*\)/
        case .unstructuredTask: /\bTask(?:<.*>)?\s*(?:\{|\(priority|\.detached|\.sleep)/
        case .printing: /\b(?:debugPrint|print|dump)\(/
        case .fatalError: /\bfatalError\(/
        case .exit: /\b_?exit\(/
        case .wallClock: /\bDate(?:\(|\.now)/
        case .dispatchQueue: /\bDispatch(?:Queue|Source|Group|Semaphore)\b/
        case .unsafeCode: /\bunsafe|Unsafe|\bUnmanaged\b/
        case .mutex: /\bMutex\b/
        case .interpolatedLog: /\blog(?:ger)?\.(?:trace|debug|info|notice|warning|error|critical)\(\s*"[^"]*\\\(/
        }
    }

    /// Why the code goes without it.
    var reason: String {
        switch self {
        case .foundation: "full Foundation brings ICU: 50 MB of file and 10 MiB of memory; take FoundationEssentials"
        case .uncheckedSendable: "the compiler's check is the only one there is"
        case .unsafeIsolation: "the compiler's check is the only one there is"
        case .unstructuredTask: "it may start the default executor's threads; name the loop by executorPreference"
        case .printing: "output belongs to the command line; everything else logs or returns"
        case .fatalError: "a bug traps with a sentence by precondition or preconditionFailure"
        case .exit: "the process ends in one place, after the drain"
        case .wallClock: "lives and deadlines are monotonic; the wall clock jumps"
        case .dispatchQueue: "one loop per thread; work is handed over by EventLoop.execute"
        case .unsafeCode:
            "unsafe code lives in Locking, EventTransport, Signing and the C modules, where it is reviewed as such"
        case .mutex: "the thread sanitizer cannot see it and reports races that are none; take Locked"
        case .interpolatedLog: "messages are constant and values are metadata, so that no secret slips into a text"
        }
    }
}
