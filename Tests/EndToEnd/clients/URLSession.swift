import Foundation
import FoundationNetworking

for url in CommandLine.arguments.dropFirst().compactMap(URL.init) {
    var request = URLRequest(url: url)
    if url.path.hasSuffix("/post") {
        request.httpMethod = "POST"
        request.httpBody = Data("hello=1".utf8)
    }
    let (_, response) = try await URLSession.shared.data(for: request)
    guard (response as? HTTPURLResponse)?.statusCode == 200 else { fatalError("\(response)") }
}
