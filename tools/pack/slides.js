// Arrow keys, page keys, space and clicks move; points of a list come one at a time; the address remembers the slide.
const pages = [...document.querySelectorAll("section")];
const points = p => [...p.querySelectorAll(".body > ul > li")];
let at = 0, seen = 1;
function draw() {
  pages.forEach((p, i) => p.classList.toggle("now", i === at));
  points(pages[at]).forEach((li, i) => li.classList.toggle("later", i >= seen));
  history.replaceState(null, "", "#" + (at + 1));
}
window.show = (k, all = false) => { at = Math.min(Math.max(k, 0), pages.length - 1); seen = all ? Infinity : 1; draw(); };
window.step = way => {
  const count = points(pages[at]).length, now = Math.min(seen, count) + way;
  if (way > 0 && now <= count || way < 0 && now >= 1) { seen = now; draw(); }
  else if (at + way >= 0 && at + way < pages.length) show(at + way, way < 0);
};
// What does not fit, as texts; empty where all is well. A slide hides what is too long, so that somebody has to look.
window.overfull = () => pages.flatMap((p, i) => {
  show(i, true);
  const room = p.getBoundingClientRect();
  const out = [...p.querySelectorAll("*")].filter(e => { const b = e.getBoundingClientRect();
    return b.width > 0 && (b.bottom > room.bottom - 20 || b.right > room.right - 20 || b.left < room.left + 20 || b.top < room.top); });
  const body = p.querySelector(".body"), title = p.querySelector("h2");
  const under = body && title && body.firstElementChild.getBoundingClientRect().top < title.getBoundingClientRect().bottom - 1;
  return out.length || under ? [`slide ${i + 1}: ${under ? "its body is under the title" : out[0].tagName}`] : [];
});
addEventListener("keydown", e => {
  if (["ArrowRight", "ArrowDown", "PageDown", " ", "Enter"].includes(e.key)) { step(1); e.preventDefault(); }
  if (["ArrowLeft", "ArrowUp", "PageUp", "Backspace"].includes(e.key)) { step(-1); e.preventDefault(); }
  if (e.key === "Home") show(0);
  if (e.key === "End") show(pages.length - 1);
});
addEventListener("click", () => step(1));
show((parseInt(location.hash.slice(1)) || 1) - 1);
