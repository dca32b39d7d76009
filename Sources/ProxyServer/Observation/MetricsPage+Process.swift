import EventTransport
import ProxyCore
import TokenManager

/// The metrics of the program, its process and its certificates.
extension MetricsPage {
    func certificates(_ labels: [String], to out: inout PrometheusText) {
        let name = "attache_client_certificate_expiry_timestamp_seconds"
        out.family(name, "gauge", "When a client certificate expires, in seconds since 1970.")
        for (route, end) in zip(routes, routeCertificates) {
            if let end { out.sample(name, PrometheusText.label("route", route.name), end) }
        }
        for (status, label) in zip(credentials, labels) {
            if let end = status.certificateExpiresAt { out.sample(name, label, end) }
        }
        let backend = "attache_upstream_certificate_expiry_timestamp_seconds"
        out.family(
            backend, "gauge",
            "When the backend's certificate of the last successful handshake expires, in seconds since 1970.")
        for (route, certificate) in zip(routes, metrics.backendCertificates) {
            if let certificate { out.sample(backend, PrometheusText.label("route", route.name), certificate.expiresAt) }
        }
    }

    func build(_ build: BuildIdentity, to out: inout PrometheusText) {
        out.family(
            "attache_build_info", "gauge",
            "Always 1; the labels are the versions of the program and its libraries.")
        let labels = build.parts.map { PrometheusText.label($0.name, $0.version) }.joined(separator: ",")
        out.sample("attache_build_info", labels, 1)
    }

    /// The metrics of the process, named as in Prometheus' own clients.
    func process(_ process: ProcessUsage, to out: inout PrometheusText) {
        func write(_ name: String, _ type: String, _ help: String, _ value: (some CustomStringConvertible)?) {
            guard let value else { return }
            out.family(name, type, help)
            out.sample(name, "", value)
        }
        write(
            "process_cpu_seconds_total", "counter", "Total user and system CPU time spent in seconds.",
            PrometheusText.seconds(process.cpuNanoseconds))
        write(
            "process_resident_memory_bytes", "gauge", "Resident memory size in bytes.", process.residentMemoryByteCount)
        write("process_virtual_memory_bytes", "gauge", "Virtual memory size in bytes.", process.virtualMemoryByteCount)
        write(
            "process_start_time_seconds", "gauge", "Start time of the process since unix epoch in seconds.",
            process.startTime)
        write("process_open_fds", "gauge", "Number of open file descriptors.", process.openDescriptorCount)
        write("process_max_fds", "gauge", "Maximum number of open file descriptors.", process.descriptorLimit)
    }
}
