<?php
// PHP reads no proxy variable, so the program does.
$proxy = str_replace("http://", "tcp://", getenv("http_proxy"));
foreach (array_slice($argv, 1) as $url) {
    $options = ["proxy" => $proxy, "request_fulluri" => true, "timeout" => 10];
    if (str_ends_with($url, "/post")) {
        $options["method"] = "POST";
        $options["content"] = "hello=1";
        $options["header"] = "Content-Type: application/x-www-form-urlencoded";
    }
    if (file_get_contents($url, false, stream_context_create(["http" => $options])) === false) {
        exit(1);
    }
}
