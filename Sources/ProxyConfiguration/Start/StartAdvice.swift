/// The sentences that say how to start.
enum StartAdvice {
    static let credentials =
        "--token-url with --client-id and --client-secret-file, or --token-file, "
        + "or a bound service (VCAP_SERVICES), or a file with credentials (--config)"

    static let nothingToDo = """
        nothing to do: no backend and no configuration file. Start in one of three ways:
          attache run --backend URL --token-url URL --client-id ID --client-secret-file FILE
          attache run --backend URL       in a Cloud Foundry app that is bound to the service (VCAP_SERVICES)
          attache run --config FILE       (every key is explained in config/attache.yaml)
        Each of these may also stand in the environment: ATTACHE_BACKEND, ATTACHE_TOKEN_URL, ATTACHE_CONFIG, …
        """
}
