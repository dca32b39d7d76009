import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;

public class JavaHttpClient {
    public static void main(String[] urls) throws Exception {
        var client = HttpClient.newBuilder().build();
        for (var url : urls) {
            var request = HttpRequest.newBuilder(URI.create(url));
            if (url.endsWith("/post")) request.POST(HttpRequest.BodyPublishers.ofString("hello=1"));
            var status = client.send(request.build(), BodyHandlers.ofString()).statusCode();
            if (status != 200) throw new IllegalStateException("status " + status);
        }
    }
}
