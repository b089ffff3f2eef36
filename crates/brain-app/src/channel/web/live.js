// A list that is told of changes and fetches itself anew, in its place: what was read stays where it was.
"use strict";
const list = document.querySelector("[data-live]");
if (list) {
  let isBusy = false;
  let isStale = false;
  const rows = () => [...list.querySelectorAll("tbody a[href]")];
  const renewed = async () => {
    const answer = await fetch(location.href);
    if (!answer.ok || answer.redirected) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.querySelector("[data-live]");
    if (!fresh) return;
    const seen = rows().find((row) => row.getBoundingClientRect().top >= 0);
    const before = seen?.getBoundingClientRect().top;
    const focused = list.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
    const aside = [...list.querySelectorAll(".scroll")].map((part) => part.scrollLeft);
    list.replaceChildren(...fresh.childNodes);
    list.querySelectorAll(".scroll").forEach((part, at) => { part.scrollLeft = aside[at] ?? 0; });
    const same = (href) => rows().find((row) => row.getAttribute("href") === href);
    const now = seen && window.scrollY > 0 ? same(seen.getAttribute("href")) : undefined;
    if (now) window.scrollBy(0, now.getBoundingClientRect().top - before);
    if (focused) same(focused)?.focus({ preventScroll: true });
  };
  const renew = async () => {
    if (isBusy) { isStale = true; return; }
    isBusy = true;
    try {
      do { isStale = false; await renewed(); } while (isStale);
    } finally {
      isBusy = false;
    }
  };
  const events = new EventSource(list.dataset.live);
  events.addEventListener("changed", () => { renew().catch(() => {}); });
}
