/// The style of the status page, for wide and narrow windows, light and dark.
enum StatusPageStyle {
    static let markup: HTML = #"""

        :root {
          --page: #f4f5f7; --card: #fff; --line: #dfe2e8; --text: #1b2130; --quiet: #596175;
          --good: #1d7a45; --good-back: #dff3e6; --fair: #8a5a00; --fair-back: #fcefcf; --bad: #b3261e; --bad-back: #fbe3e1;
          --track: #e6e9ef; --past: #2e9e5b; --late: #d99a1c; --bar: #4a7fd6; --soft: #b9cdf0; --amber: #d99a1c; --red: #d93b3b;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --page: #12151c; --card: #1b202a; --line: #303746; --text: #e7eaf1; --quiet: #a0a9bb;
            --good: #7fdba5; --good-back: #173a27; --fair: #f3c969; --fair-back: #40310e; --bad: #ff9d96; --bad-back: #4a1d1b;
            --track: #2b3240; --past: #37a866; --late: #d99a1c; --bar: #6a9bea; --soft: #34507f; --amber: #d99a1c; --red: #ef5350;
          }
        }
        * { box-sizing: border-box; }
        body { margin: 0; background: var(--page); color: var(--text); font: 15px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
        header, main { max-width: 74rem; margin: 0 auto; padding: 0 1rem; }
        header { display: flex; flex-wrap: wrap; align-items: baseline; gap: .25rem .8rem; padding-top: 1rem; }
        .state { display: flex; flex-wrap: wrap; align-items: baseline; gap: .25rem .8rem; }
        h1 { font-size: 1.35rem; margin: 0; }
        h2 { font-size: 1.05rem; margin: 1.6rem 0 .6rem; }
        h3 { font-size: 1rem; margin: 0; font-weight: 600; }
        h2 small { font-weight: 400; color: var(--quiet); font-size: .85rem; margin-left: .4rem; }
        p { margin: .35rem 0 0; }
        header p { margin: 0; }
        a { color: inherit; }
        h3, p, li, dd, code, summary { overflow-wrap: anywhere; }
        .quiet { color: var(--quiet); font-size: .87rem; }
        .lost { color: var(--bad); font-weight: 600; }
        .old main { opacity: .55; }
        .pill { display: inline-block; border-radius: 1rem; padding: .05rem .6rem; font-size: .8rem; font-weight: 600; white-space: nowrap; }
        .good { color: var(--good); background: var(--good-back); }
        .fair { color: var(--fair); background: var(--fair-back); }
        .bad { color: var(--bad); background: var(--bad-back); }
        .idle { color: var(--quiet); background: var(--track); }
        .card { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: .8rem .9rem; min-width: 0; }
        .head { display: flex; justify-content: space-between; align-items: baseline; gap: .2rem .6rem; }
        .head h3 { min-width: 0; }
        .cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 21rem), 1fr)); gap: .7rem; align-items: start; }
        .error { border-left: 3px solid var(--red); padding: .1rem 0 .1rem .6rem; margin-top: .5rem; font-size: .9rem; }
        .warn { border-left-color: var(--amber); }
        .findings { display: grid; gap: .7rem; }
        .finding { border-left: 4px solid var(--red); } .finding.warn { border-left-color: var(--amber); } .finding.note { border-left-color: var(--line); }
        .life { display: block; width: 100%; height: 12px; margin: .6rem 0 .2rem; }
        .times { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 .8rem; font-size: .87rem; }
        .track { fill: var(--track); } .past { fill: var(--past); } .late { fill: var(--late); }
        .mark { fill: var(--text); } .zone { fill: var(--amber); opacity: .35; }
        .routes { display: grid; gap: .7rem; }
        .route { display: grid; grid-template-columns: minmax(0, 1fr); gap: .5rem 1.2rem; }
        .charts { display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); gap: .8rem; align-self: start; }
        .charts figure { margin: 0; min-width: 0; display: flex; flex-direction: column; justify-content: space-between; }
        .charts figcaption { font-size: .8rem; color: var(--quiet); line-height: 1.3; }
        .charts b { display: block; color: var(--text); font-size: 1rem; white-space: nowrap; }
        .charts svg { display: block; width: 100%; height: 40px; margin-top: .25rem; background: linear-gradient(var(--line), var(--line)) bottom / 100% 1px no-repeat; }
        .bar { fill: var(--bar); } .soft { fill: var(--soft); } .amber { fill: var(--amber); } .red { fill: var(--red); }
        .one { white-space: nowrap; }
        .alarm { color: var(--bad) !important; }
        .tiles { display: grid; grid-template-columns: repeat(auto-fill, minmax(8.5rem, 1fr)); gap: .7rem; margin: 0; }
        .tiles div { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: .55rem .8rem; }
        dt { color: var(--quiet); font-size: .8rem; } dd { margin: 0; font-size: 1.05rem; font-weight: 600; }
        dd small { font-weight: 400; color: var(--quiet); }
        summary { cursor: pointer; }
        pre { overflow-x: auto; background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: .7rem .9rem; font: .82rem/1.5 ui-monospace, "DejaVu Sans Mono", monospace; margin: .5rem 0; }
        main { padding-bottom: 2rem; }
        @media (min-width: 56rem) { .route { grid-template-columns: minmax(0, 2fr) minmax(0, 3fr); } }
        @media (max-width: 26rem) { body { font-size: 14px; } header, main { padding-left: .7rem; padding-right: .7rem; } .charts { gap: .5rem; } }

        """#
}
