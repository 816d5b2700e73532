"use strict";
try {
  document.documentElement.dataset.theme = localStorage.getItem("theme") || "";
} catch {
  // nothing may be read here, so that the system's colors stay
}
addEventListener("DOMContentLoaded", () => {
  for (const box of document.querySelectorAll("pre, .output_html")) if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
});
