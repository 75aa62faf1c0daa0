const data = JSON.parse(document.getElementById("data").textContent);
const inputs = data.controls.map((c, i) => document.getElementById("control-" + i));
const over = document.getElementById("over"), first = document.getElementById("first"), note = document.getElementById("note");
const canvas = document.getElementById("canvas"), pen = canvas.getContext("2d");
const setting = () => inputs.map(e => Number(e.value));
function show(moved) {
  let back = false;
  if (!(setting().join() in data.frames)) {
    inputs.forEach((e, i) => { if (i !== moved) e.value = data.controls[i].start; });
    back = true;
  }
  const now = setting(), frame = data.frames[now.join()];
  over.src = frame ? "data:image/webp;base64," + frame : data.blank;
  Promise.all([first.decode(), over.decode()]).then(() => {
    if (canvas.width !== first.naturalWidth) { canvas.width = first.naturalWidth; canvas.height = first.naturalHeight; }
    pen.drawImage(first, 0, 0);
    pen.drawImage(over, 0, 0, canvas.width, canvas.height);
  }).catch(() => {});  // a newer picture is on its way
  const words = data.about + " " + data.controls.map((c, i) => c.name + " = " + c.texts[now[i]]).join(", ");
  canvas.setAttribute("aria-label", words);
  data.controls.forEach((c, i) => {
    const shown = document.getElementById("value-" + i);
    if (shown) { shown.textContent = c.texts[now[i]]; inputs[i].setAttribute("aria-valuetext", c.texts[now[i]]); }
  });
  note.textContent = back ? "The other controls went back to their start. " + data.note : data.note;
}
inputs.forEach((e, i) => e.addEventListener("input", () => show(i)));
document.getElementById("start").addEventListener("click", () => { inputs.forEach((e, i) => { e.value = data.controls[i].start; }); show(-1); });
if (location.hash === "#embedded") document.body.classList.add("embedded");
const tell = () => { if (parent !== window) parent.postMessage({costboot: document.documentElement.offsetHeight + 4}, "*"); };
new ResizeObserver(tell).observe(document.body);
window.addEventListener("load", tell);
show(-1);
