package main

import (
	"io"
	"log"
	"net/http"
	"os"
	"strings"
)

func main() {
	for _, url := range os.Args[1:] {
		var response *http.Response
		var err error
		if strings.HasSuffix(url, "/post") {
			response, err = http.Post(url, "application/x-www-form-urlencoded", strings.NewReader("hello=1"))
		} else {
			response, err = http.Get(url)
		}
		if err != nil {
			log.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, response.Body); err != nil {
			log.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != http.StatusOK {
			log.Fatal(response.Status)
		}
	}
}
