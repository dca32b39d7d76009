require "net/http"

# One connection for each host and port.
ARGV.map { |url| URI(url) }.group_by { |url| [url.host, url.port] }.each do |(host, port), urls|
  Net::HTTP.start(host, port) do |connection|
    urls.each do |url|
      is_post = url.path.end_with?("/post")
      response = is_post ? connection.post(url.request_uri, "hello=1") : connection.get(url.request_uri)
      abort response.code if response.code != "200"
    end
  end
end
