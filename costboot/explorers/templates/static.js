const data = JSON.parse(document.getElementById("data").textContent);
const inputs = data.controls.map((c, i) => document.getElementById("control-" + i));
const over = document.getElementById("over"), first = document.getElementById("first");
const note = document.getElementById("note");
const canvas = document.getElementById("canvas"), pen = canvas.getContext("2d");
const setting = () => inputs.map(e => Number(e.value));

// The other controls go back to their start where a setting was not drawn.
function putBack(moved) {
  inputs.forEach((e, i) => { if (i !== moved) e.value = data.controls[i].start; });
}

function draw() {
  Promise.all([first.decode(), over.decode()]).then(() => {
    if (canvas.width !== first.naturalWidth) {
      canvas.width = first.naturalWidth;
      canvas.height = first.naturalHeight;
    }
    pen.drawImage(first, 0, 0);
    pen.drawImage(over, 0, 0, canvas.width, canvas.height);
  }).catch(() => {});  // a newer picture is on its way
}

function show(moved) {
  const back = !(setting().join() in data.frames);
  if (back) putBack(moved);
  const now = setting(), frame = data.frames[now.join()];
  over.src = frame ? "data:image/webp;base64," + frame : data.blank;
  draw();
  const values = data.controls.map((c, i) => c.name + " = " + c.texts[now[i]]);
  canvas.setAttribute("aria-label", data.about + " " + values.join(", "));
  data.controls.forEach((c, i) => {
    const shown = document.getElementById("value-" + i);
    if (!shown) return;
    shown.textContent = c.texts[now[i]];
    inputs[i].setAttribute("aria-valuetext", c.texts[now[i]]);
  });
  note.textContent = (back ? "The other controls went back to their start. " : "") + data.note;
}

inputs.forEach((e, i) => e.addEventListener("input", () => show(i)));
document.getElementById("start").addEventListener("click", () => { putBack(-1); show(-1); });
if (location.hash === "#embedded") document.body.classList.add("embedded");

// On a page of the book: tell it how high this file is.
const tell = () => {
  if (parent !== window) parent.postMessage({costboot: document.documentElement.offsetHeight + 4}, "*");
};
new ResizeObserver(tell).observe(document.body);
window.addEventListener("load", tell);
show(-1);
