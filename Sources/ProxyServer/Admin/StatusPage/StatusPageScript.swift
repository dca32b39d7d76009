/// The script of the status page: it fetches the page again and takes over the parts that have changed.
///
/// It waits while the tab is hidden or while text is selected. A slow answer makes it ask less often.
enum StatusPageScript {
    static let markup: HTML = #"""

        "use strict";
        (() => {
          const pause = 3000, note = document.getElementById("live");
          let timer, lastAt = new Date();
          const take = (page) => {
            document.title = page.title;
            const icon = document.getElementById("icon"), fresh = page.getElementById("icon");
            if (fresh && icon.getAttribute("href") !== fresh.getAttribute("href")) icon.replaceWith(document.adoptNode(fresh));
            for (const part of document.querySelectorAll("[data-live]")) {
              const next = page.getElementById(part.id);
              if (next && next.innerHTML !== part.innerHTML) part.replaceChildren(...document.adoptNode(next).childNodes);
            }
          };
          const look = async () => {
            clearTimeout(timer);
            if (document.hidden) return;
            const began = performance.now();
            try {
              const answer = await fetch(location.pathname, { cache: "no-store", signal: AbortSignal.timeout(10000) });
              const text = await answer.text();
              if (!answer.ok) throw new Error(String(answer.status));
              lastAt = new Date();
              if (getSelection().isCollapsed) {
                take(new DOMParser().parseFromString(text, "text/html"));
                note.textContent = "live";
              } else {
                note.textContent = "paused while text is selected";
              }
              note.className = "quiet";
            } catch {
              note.textContent = "no answer since " + lastAt.toLocaleTimeString();
              note.className = "lost";
            }
            document.body.classList.toggle("old", note.className === "lost");
            timer = setTimeout(look, Math.max(pause, 10 * (performance.now() - began)));
          };
          document.addEventListener("visibilitychange", look);
          note.textContent = "live";
          timer = setTimeout(look, pause);
        })();

        """#
}
