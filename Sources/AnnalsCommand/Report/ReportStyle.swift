import Annals

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The style sheet of a report: light and dark by the reader's setting, one column on a narrow screen.
enum ReportStyle {
  /// The hash of the sheet, for the page's policy, which allows no other style.
  static var hash: String { Data(SHA256.hash(Array(sheet.description.utf8))).base64EncodedString() }

  static let sheet: StaticString = """
    :root{color-scheme:light dark;--bg:#fbfbf9;--fg:#1d2126;--dim:#5c6670;--line:#dcdfe2;--card:#fff;--bad:#b3261e;\
    --good:#1b6e3c;--add:#dcf3e2;--chg:#fbefcf;--del:#f8dedc;\
    --c0:#2563a8;--c1:#d9822b;--c2:#2f8f5b;--c3:#8b4fa3;--c4:#c4455b;--c5:#3aa0a8;--c6:#8a929a}
    @media(prefers-color-scheme:dark){:root{--bg:#14171a;--fg:#e6e8ea;--dim:#9aa4ad;--line:#2e343a;--card:#1b1f23;\
    --bad:#f2867e;--good:#72cf95;--add:#173d26;--chg:#433712;--del:#48201d;\
    --c0:#5a9be0;--c1:#e8a257;--c2:#5cbd88;--c3:#b98ad0;--c4:#e27b8c;--c5:#66c6cd;--c6:#7d868f}}
    *{box-sizing:border-box}
    body{margin:0;background:var(--bg);color:var(--fg);font:15px/1.45 system-ui,sans-serif}
    main{max-width:72rem;margin:0 auto;padding:1rem}
    h1{font-size:1.5rem;margin:.3rem 0;overflow-wrap:anywhere}
    h2{font-size:1.1rem;margin:1.8rem 0 .5rem}
    h3{font-size:1rem;margin:1rem 0 .4rem}
    p{margin:.4rem 0;max-width:60rem}
    .dim,figcaption,th,.axis{color:var(--dim)}
    .cards{display:grid;grid-template-columns:repeat(4,1fr);gap:.6rem;margin:.8rem 0}
    .card{background:var(--card);border:1px solid var(--line);border-radius:6px;padding:.5rem .7rem}
    .card b{display:block;font-size:1.2rem;font-variant-numeric:tabular-nums}
    .card span{color:var(--dim);font-size:.85rem}
    .charts{display:grid;grid-template-columns:1fr 1fr;gap:.8rem}
    figure{margin:0;background:var(--card);border:1px solid var(--line);border-radius:6px;padding:.5rem .7rem;min-width:0}
    figcaption{display:flex;justify-content:space-between;gap:1rem;font-size:.85rem}
    svg{display:block;width:100%;height:7rem}
    .axis{display:flex;justify-content:space-between;font-size:.75rem}
    .legend{display:flex;flex-wrap:wrap;gap:.2rem 1rem;font-size:.85rem;padding:0;margin:.6rem 0;list-style:none}
    .legend i{display:inline-block;width:.7em;height:.7em;border-radius:2px;margin-right:.35em}
    .c0{fill:var(--c0);background:var(--c0)}.c1{fill:var(--c1);background:var(--c1)}
    .c2{fill:var(--c2);background:var(--c2)}.c3{fill:var(--c3);background:var(--c3)}
    .c4{fill:var(--c4);background:var(--c4)}.c5{fill:var(--c5);background:var(--c5)}
    .c6{fill:var(--c6);background:var(--c6)}
    .scroll{overflow-x:auto;background:var(--card);border:1px solid var(--line);border-radius:6px}
    table{border-collapse:collapse;width:100%;font-size:.9rem}
    th,td{text-align:left;padding:.3rem .7rem;border-bottom:1px solid var(--line);vertical-align:top}
    th{font-weight:500;white-space:nowrap}
    tr:last-child td{border-bottom:0}
    td.n,th.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
    td.t{overflow-wrap:anywhere;min-width:9rem}
    .bad{color:var(--bad)}.good{color:var(--good)}
    .chain{display:grid;grid-auto-flow:column;grid-auto-columns:minmax(17rem,1fr);gap:.6rem;overflow-x:auto;padding-bottom:.4rem}
    .stage{background:var(--card);border:1px solid var(--line);border-radius:6px;padding:.5rem .7rem;min-width:0}
    .stage h4{margin:0 0 .2rem;font-size:.95rem}
    .stage p{font-size:.85rem;overflow-wrap:anywhere}
    dl{margin:.4rem 0;font:.85rem/1.5 ui-monospace,monospace}
    dl div{padding:0 .3rem;border-radius:3px;overflow-wrap:anywhere}
    dt,dd{display:inline;margin:0}
    dt::after{content:": "}
    .added{background:var(--add)}.changed{background:var(--chg)}
    .removed{background:var(--del);text-decoration:line-through}
    @media(max-width:46rem){main{padding:.6rem}.chain{grid-auto-flow:row;grid-auto-columns:auto}\
    th,td{padding:.3rem .4rem}.charts{grid-template-columns:1fr}.cards{grid-template-columns:1fr 1fr}}
    """
}
