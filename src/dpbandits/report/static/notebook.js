"use strict";
try {
  document.documentElement.dataset.theme = localStorage.getItem("theme") || "";
} catch {
  // storage is forbidden; keep the system's colors
}
addEventListener("DOMContentLoaded", () => {
  for (const box of document.querySelectorAll("pre, .output_html")) if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
});
