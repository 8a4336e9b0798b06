// Keeps the page current, and in the colours of the interface around it. Without it the page works, and stands still.
"use strict";

// The page is made anew by the server; its content takes the place of the one shown, unless nothing has changed.
async function refresh() {
  const main = document.querySelector("main");
  if (document.visibilityState === "visible") {
    try {
      const answer = await fetch(location.href, { headers: { Accept: "text/html" }, credentials: "same-origin" });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("main");
      if (answer.ok && page && page.innerHTML !== main.innerHTML) {
        main.replaceChildren(...page.childNodes);
        main.dataset.refresh = page.dataset.refresh;
      }
    } catch (error) {
      console.warn("not refreshed:", error); // the server restarts, perhaps: the next round shows
    }
  }
  setTimeout(refresh, 1000 * (Number(main.dataset.refresh) || 15));
}

// Inside Airflow's interface: its theme is a class of the outer document.
function followTheme() {
  if (window.parent === window) return;
  const outer = window.parent.document.documentElement;
  const apply = () => {
    document.documentElement.dataset.theme = outer.classList.contains("dark") ? "dark" : "light";
  };
  new MutationObserver(apply).observe(outer, { attributes: true, attributeFilter: ["class"] });
  apply();
}

followTheme();
setTimeout(refresh, 2000);
