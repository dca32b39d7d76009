import java.net.HttpURLConnection;
import java.net.URL;

public class JavaHttpURLConnection {
    public static void main(String[] urls) throws Exception {
        for (var url : urls) {
            var connection = (HttpURLConnection) new URL(url).openConnection();
            if (url.endsWith("/post")) {
                connection.setDoOutput(true);
                connection.getOutputStream().write("hello=1".getBytes());
            }
            var status = connection.getResponseCode();
            if (status != 200) throw new IllegalStateException("status " + status);
            connection.getInputStream().readAllBytes();
        }
    }
}
