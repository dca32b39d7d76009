import ProxyConfiguration
import Signing

/// Reads the file of `tracing.headersFile` while Attaché runs; it quotes nothing of the file.
enum CollectorHeaders {
    struct Problem: Error, Equatable {
        let message: String
    }

    /// Blocks for as long as the file system does.
    static func read(_ file: String) -> Result<HeaderLines, Problem> {
        do throws(SecretFile.Problem) {
            let bytes = try SecretFile.read(file, atMost: HeaderLines.byteLimit)
            do throws(HeaderLines.Problem) {
                return .success(try HeaderLines(bytes))
            } catch {
                return .failure(Problem(message: "tracing.headersFile \(file) \(error.message)"))
            }
        } catch {
            return .failure(Problem(message: "cannot read tracing.headersFile \(file): \(explanation(of: error))"))
        }
    }

    private static func explanation(of problem: SecretFile.Problem) -> String {
        switch problem {
        case .missing: "no such file; correct the path"
        case .forbidden: "permission denied; let this process's user read it"
        case .notRegular: "it is not a regular file; name a file with lines Name: value"
        case .tooLarge: "it is larger than \(HeaderLines.byteLimit) bytes; shorten it"
        case .system(let code): "\(SecretFile.words(code)); look at the file system that holds it"
        }
    }
}
