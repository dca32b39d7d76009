/// What the findings of each code have in common.
extension FindingCode {
    /// What is wrong, in a few words.
    var title: String { text.title }

    /// What to do.
    var advice: String { text.advice }

    private var text: (title: String, advice: String) {
        switch self {
        case .routeUnreachable:
            ("No request reaches the route", "Move the route, or narrow the match of an earlier one.")
        case .listenerRefusesAll: ("The listener refuses every request", "Name a route in the listener's routes.")
        case .credentialUnused: ("No route uses the credential", "Name the credential in a route, or remove it.")
        case .settingWithoutEffect: ("The setting has no effect", "Remove the setting.")
        case .unknownVariable: ("The environment variable is unknown", "Correct its name, or remove it.")
        case .placeholderSecret: ("The secret is the placeholder of an example", "Write the real secret.")
        case .weakSecret: ("The secret is too short", "Use a longer secret.")
        case .assertionWithoutSubject: ("The assertion has no subject", "Write the subject of the token.")
        case .authorityWithoutRoot:
            ("The CA file holds no root certificate", "Add the self-signed certificate at the end of the chain.")
        case .cacheTooSmall: ("The token cache is too small", "Raise cacheSize.")
        case .userWithoutPassword: ("A user has no password", "Add the user to the passwordFile, or correct the name.")
        case .socketModeTooNarrow:
            ("Clients cannot open the socket", "Set socketMode: 0666. allow still limits who may use the socket.")
        case .socketFolderMissing:
            ("The folder of a Unix socket does not exist", "Make the folder before the start, or correct the path.")
        case .valueMisspelt: ("A value looks misspelt", "Correct the value.")
        case .certificateAuthoritiesMissing:
            ("The system's certificate authorities are missing", "Install ca-certificates, or correct SSL_CERT_FILE.")
        case .plaintextDenied: ("https:// URLs are refused", "Use an https:// upstream, or set allowPlaintext.")
        case .addressesTooOpen: ("allowAddresses permits every address", "Write only the ranges that the apps need.")
        case .loopDetected: ("A request would come back to Attaché", "Name the server or proxy itself.")
        case .descriptorLimitLow:
            ("The limit of open files is low", "Raise it (ulimit -n, LimitNOFILE), or lower limits.connections.")
        case .configurationNotReloaded:
            ("The configuration was not reloaded", "Correct the file; attache check shows the same problems.")
        case .restartNeeded: ("Changed settings need a restart", "Restart Attaché.")
        case .certificateNotYetValid:
            ("The certificate is not valid yet", "Replace the certificate, or correct this machine's clock.")
        case .certificateExpired: ("The certificate has expired", "Replace the certificate.")
        case .certificateExpiresSoon: ("The certificate expires soon", "Replace the certificate before it expires.")
        case .backendCertificateExpiresSoon:
            ("The backend's certificate expires soon", "Ask the backend's operator to replace the certificate.")
        case .tokenServerCertificateExpiresSoon:
            (
                "The token server's certificate expires soon",
                "Ask the token server's operator to replace the certificate."
            )
        case .outOfDescriptors:
            ("File descriptors run low", "Raise the limit of open files (ulimit -n, LimitNOFILE).")
        case .tooManyConnections:
            ("Too many clients are connected", "Raise limits.connections, or look for clients that leak connections.")
        case .logLinesDropped:
            ("The access log loses lines", "Check that its disk has space, or that its reader keeps up.")
        case .accessLogNotReopened:
            ("The access log was not opened again", "Correct the path's folder or its permissions, and send SIGUSR1.")
        case .shuttingDown: ("Attaché is shutting down", "Wait: Attaché ends by itself.")
        case .credentialMisconfigured: ("The credential's settings are unusable", "Correct the setting.")
        case .secretUnreadable:
            ("A secret cannot be read", "Create the file or variable, and let Attaché read it.")
        case .refreshTokenNotWritten:
            ("A new refresh token cannot be written to its file", "Make the file and its folder writable for Attaché.")
        case .valueUnusable: ("A secret, key or certificate is unusable", "Correct the value that the detail names.")
        case .tokenExpired: ("The token in the file has expired", "Check the program that renews the file.")
        case .tooManyFetches: ("Too many tokens are being fetched", "Raise cacheSize.")
        case .tokenServerUnreachable:
            (
                "Attaché gets no response from the token server",
                "Check the token server's address, its certificate and the network to it."
            )
        case .tokenServerLeadsBack:
            ("The token server's address is Attaché itself", "Correct tokenUrl, issuer or tokenServerProxy.")
        case .tokenServerRefused:
            (
                "The token server answers with an error",
                "Do what the detail says; for 400 and 401, check the client's identifier, secret and scopes."
            )
        case .tokenResponseUnusable:
            ("The token server's response is unusable", "Check the address of the token endpoint.")
        case .metadataUnusable: ("The issuer's metadata is unusable", "Check issuer, or set tokenUrl instead.")
        case .credentialUnavailable:
            ("The credential has no token", "Wait for the first fetch, or check the token server.")
        case .nameNotResolved: ("The server's name has no address", "Check the name and /etc/resolv.conf.")
        case .addressForbidden: ("The server's address is not allowed", "Add the address to allowAddresses.")
        case .connectionRefused: ("The server refuses connections", "Check the port, and whether the server runs.")
        case .connectionTimeout: ("The server does not answer in time", "Check the network and firewalls on the way.")
        case .connectionTerminated: ("The server ends the connection", "Look at the server's log.")
        case .upstreamProxyRefused:
            ("The parent proxy refuses the request", "Check the proxy's settings and credentials.")
        case .certificateRefused:
            (
                "The server's certificate is refused",
                "Do what the detail says: set tls.caFile or tls.serverName, or replace the server's certificate."
            )
        case .tlsFailed: ("The TLS handshake fails", "Check that the port speaks TLS, and the client certificate.")
        case .malformedResponse:
            ("The server's response is not valid HTTP/1.1", "Correct the server, or the proxy on the way to it.")
        case .responseTimeout:
            ("The server does not respond in time", "Look at the server's log, or raise responseTimeout.")
        case .clockDiffers:
            (
                "This machine's clock and the server's differ",
                "Compare both with a third clock, and set the wrong one, for instance with NTP."
            )
        case .backendRefusesToken:
            (
                "The backend refuses the token",
                "Compare the token's audience, scope and issuer, or the fixed value, with what the backend expects."
            )
        case .backendDeniesAccess:
            ("The backend denies access", "Give the client the role or scope, or try another --path.")
        case .backendFails:
            ("The backend reports an error of its own", "Look at the backend's log, or try another --path.")
        case .tokenNotTested:
            (
                "Nothing shows whether the backend accepts the token",
                "Name a path with --path that the route takes and the backend protects."
            )
        case .backendOpen:
            (
                "The backend needs no token here",
                "Name a protected path with --path, to see whether the token is accepted."
            )
        case .connectionFailed:
            ("The server cannot be reached", "Check the server's address and the network to it.")
        }
    }
}
