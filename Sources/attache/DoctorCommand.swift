import ArgumentParser
import Glibc
import ProxyConfiguration
import ProxyServer

/// `attache doctor`: tries a configuration with its token servers and backends, and says what is wrong.
struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Tries every token server and backend, and says what is wrong and what to do.",
        discussion: """
            Takes the options and the environment of run. For each credential it looks up the name of the token server, connects, \
            checks the certificate, fetches a token and compares the clocks. Then it sends each backend a request without the credential \
            and one with it. The timeouts are those of run. As run does, it uses a refresh \
            token and writes the new one to the file.

            The report holds no secret and no token. --json prints an object with these keys:
            version   1
            attache   the program's version
            ok        whether the exit code is 0
            complete  false if a signal ended doctor
            checks    each with step, result, detail, and credential or route, and server
            findings  each with code, severity, title, detail, advice, documentation

            Exit code 1 means that a finding is an error. If the file or an option is wrong, the exit code is 2 and --json \
            prints the object of check --json. If a signal ends doctor, the exit code is 2 too, and --json prints the report \
            so far.
            """)

    @Argument(help: "The configuration file; the same as --config.")
    var file: String?

    @Option(help: "The path of the request to each backend.")
    var path = "/"

    @Option(help: "The method of the request to each backend, GET or HEAD.")
    var method = "GET"

    @Flag(help: "Prints JSON.")
    var json = false

    @OptionGroup var options: ConfigurationOptions

    func run() throws {
        let request: Doctor.Request
        do throws(Problem) {
            request = try Doctor.Request(method: method, path: path)
        } catch {
            if json {
                try CommandOutput.write(ConfigurationReport(error).json)
            } else {
                PlainText.writeError("attache: \(error)")
            }
            throw ExitCode.configuration
        }
        let configuration = try options.read(file, asJSON: json, command: "doctor")
        StartFiles.endWatch()
        let isTerminal = isatty(STDERR_FILENO) == 1
        let report: DoctorReport
        do throws(Doctor.Failure) {
            report = try Doctor.examine(configuration, request) { step in
                if isTerminal { PlainText.showProgress("trying \(step) …") }
            }
        } catch {
            if isTerminal { PlainText.showProgress("") }
            PlainText.writeError("attache: \(error.reason)")
            throw ExitCode.configuration
        }
        if isTerminal { PlainText.showProgress("") }
        try CommandOutput.write(json ? report.json : report.lines.joined(separator: "\n"))
        if let reason = report.endedBy {
            PlainText.writeError("attache: \(reason)")
            throw ExitCode.configuration
        }
        if !report.isWell { throw ExitCode.failure }
    }
}
