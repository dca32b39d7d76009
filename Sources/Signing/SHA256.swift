package enum SHA256 {}
