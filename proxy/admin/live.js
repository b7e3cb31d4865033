// Brings the counters and the last pages of the overview up to date while somebody looks at it.
"use strict";
async function refresh() {
  if (document.hidden) return;
  try {
    const answer = await fetch(location.origin + "/api/v1/counters", { headers: { Accept: "application/json" } });
    if (!answer.ok) return;
    const counters = await answer.json();
    for (const at of document.querySelectorAll("[data-live]")) {
      const now = counters[at.dataset.live];
      if (now !== undefined && at.textContent !== now) at.textContent = now;
    }
    const list = document.querySelector("[data-part=pages]");
    if (!list) return;
    const page = await fetch(location.origin + "/?only=pages");
    const now = new DOMParser().parseFromString(await page.text(), "text/html").querySelector("[data-part=pages]");
    if (page.ok && now && now.textContent !== list.textContent) list.replaceChildren(...now.children);
  } catch { /* winnow has ended, or the network is away: the next round may do */ }
}
setInterval(refresh, 5000);
