// Arrow keys, page keys, space and clicks move; the address remembers the slide.
const pages = [...document.querySelectorAll("section")];
let at = Math.max(0, (parseInt(location.hash.slice(1)) || 1) - 1);
window.show = k => { at = Math.min(Math.max(k, 0), pages.length - 1); pages.forEach((p, i) => p.classList.toggle("now", i === at)); history.replaceState(null, "", "#" + (at + 1)); };
addEventListener("keydown", e => {
  if (["ArrowRight", "ArrowDown", "PageDown", " ", "Enter"].includes(e.key)) { show(at + 1); e.preventDefault(); }
  if (["ArrowLeft", "ArrowUp", "PageUp", "Backspace"].includes(e.key)) { show(at - 1); e.preventDefault(); }
  if (e.key === "Home") show(0);
  if (e.key === "End") show(pages.length - 1);
});
addEventListener("click", () => show(at + 1));
show(at);
