// Pictures that are handled directly: draws what Python computed, and tells Python where the hand is.
// One message is under way at a time; while it is, only the newest place of the hand is kept.
const WIDE = 400, HIGH = 330, LEFT = 52, RIGHT = 12, TOP = 30, BOTTOM = 46, NEAR = 26;
const NS = "http://www.w3.org/2000/svg";
const escaped = text => String(text).replace(/[&<>"]/g, c => ({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})[c]);
const short = v => Number(v.toFixed(2));

function scales(panel) {
  const [x0, x1] = panel.x.ends, [y0, y1] = panel.y.ends;
  return {
    x: v => LEFT + (WIDE - LEFT - RIGHT) * (v - x0) / (x1 - x0),
    y: v => HIGH - BOTTOM - (HIGH - TOP - BOTTOM) * (v - y0) / (y1 - y0),
    atX: p => x0 + (x1 - x0) * (p - LEFT) / (WIDE - LEFT - RIGHT),
    atY: p => y0 + (y1 - y0) * (HIGH - BOTTOM - p) / (HIGH - TOP - BOTTOM),
  };
}

const path = (xs, ys, s) => xs.map((x, i) => (i ? "L" : "M") + short(s.x(x)) + " " + short(s.y(ys[i]))).join("");

const painters = {
  line: (m, s) => `<path d="${path(m.x, m.y, s)}" fill="none" stroke="${m.color}" stroke-width="${m.width || 1.8}" stroke-dasharray="${m.dash || ""}"/>`,
  band: (m, s) => `<path d="${path([...m.x, ...m.x.slice().reverse()], [...m.high, ...m.low.slice().reverse()], s)}Z" fill="${m.color}" fill-opacity=".2"/>`,
  bars: (m, s) => `<path d="${m.x.map((x, i) => `M${short(s.x(x))} ${short(s.y(0))}V${short(s.y(m.y[i]))}`).join("")}" stroke="${m.color}" stroke-width="${m.width || 2}"/>`,
  box: (m, s) => `<rect x="${s.x(m.x[0])}" y="${s.y(m.y[1])}" width="${s.x(m.x[1]) - s.x(m.x[0])}" height="${s.y(m.y[0]) - s.y(m.y[1])}" fill="${m.color}" fill-opacity=".15" stroke="${m.color}"/>`,
  dot: (m, s) => `<circle cx="${s.x(m.x)}" cy="${s.y(m.y)}" r="5" fill="${m.color}"/>`,
};

function handle(h, s) {
  const x = s.x(h.x), y = s.y(h.y);
  const rule = h.upright ? `<path d="M${x} ${TOP}V${HIGH - BOTTOM}" stroke="#222" stroke-width="1.4"/>` : "";
  return `${rule}<circle class="grip" data-handle="${escaped(h.name)}" cx="${x}" cy="${y}" r="8" fill="#fff" stroke="#222" stroke-width="2.5"><title>${escaped(h.says)}</title></circle>`;
}

function axes(panel, s) {
  const bottom = HIGH - BOTTOM;
  const across = panel.x.ticks.map(v => `<path d="M${s.x(v)} ${bottom}v4"/><text x="${s.x(v)}" y="${bottom + 17}" text-anchor="middle">${v}</text>`);
  const up = panel.y.ticks.map(v => `<path d="M${LEFT} ${s.y(v)}h-4"/><text x="${LEFT - 7}" y="${s.y(v) + 4}" text-anchor="end">${v}</text>`);
  return `<g stroke="#222" fill="none"><rect x="${LEFT}" y="${TOP}" width="${WIDE - LEFT - RIGHT}" height="${bottom - TOP}"/></g>
    <g class="ticks" stroke="none">${[...across, ...up].join("").replaceAll("<path", '<path stroke="#222"')}</g>
    <text x="${(LEFT + WIDE - RIGHT) / 2}" y="${HIGH - 8}" text-anchor="middle">${escaped(panel.x.label)}</text>
    <text x="13" y="${(TOP + bottom) / 2}" text-anchor="middle" transform="rotate(-90 13 ${(TOP + bottom) / 2})">${escaped(panel.y.label)}</text>`;
}

function legend(panel) {
  const named = panel.marks.filter(m => m.label);
  const [right, low] = [panel.legend.includes("right"), panel.legend.includes("lower")];
  return named.map((m, i) => {
    const y = low ? HIGH - BOTTOM - 12 - 17 * (named.length - 1 - i) : TOP + 17 + 17 * i;
    const x = right ? WIDE - RIGHT - 8 : LEFT + 8;
    const sign = right ? x - 16 : x;
    return `<rect x="${sign}" y="${y - 8}" width="16" height="${m.kind === "band" ? 9 : 3}" ${m.kind === "band" ? 'fill-opacity=".25"' : `transform="translate(0 3)"`} fill="${m.color}"/>
      <text x="${right ? x - 21 : x + 21}" y="${y}" text-anchor="${right ? "end" : "start"}">${escaped(m.label)}</text>`;
  }).join("");
}

export function picture(panel, id) {
  const s = scales(panel);
  const inside = panel.marks.map(m => painters[m.kind](m, s)).join("");
  return `<defs><clipPath id="${id}"><rect x="${LEFT}" y="${TOP - 1}" width="${WIDE - LEFT - RIGHT}" height="${HIGH - TOP - BOTTOM + 2}"/></clipPath></defs>
    <g clip-path="url(#${id})">${inside}</g>${axes(panel, s)}${legend(panel)}
    <text x="${(LEFT + WIDE - RIGHT) / 2}" y="18" text-anchor="middle" font-weight="600">${escaped(panel.title)}</text>
    ${panel.handles.map(h => handle(h, s)).join("")}`;
}

let made = 0;

function render({model, el}) {
  const row = document.createElement("div"), panels = [], shown = [], mine = ++made;
  row.className = "costboot-direct";
  el.append(row);
  let busy = false, waiting = null, number = 0, held = null;
  const frames = el.costbootFrames = [];  // when each frame was drawn, for tests and measurements

  function draw() {
    const scene = model.get("scene");
    (scene.panels || []).forEach((panel, k) => {
      if (!panels[k]) {
        panels[k] = document.createElementNS(NS, "svg");
        panels[k].setAttribute("viewBox", `0 0 ${WIDE} ${HIGH}`);
        panels[k].setAttribute("role", "img");
        row.append(panels[k]);
        listen(panels[k], k);
      }
      const text = JSON.stringify(panel);
      if (shown[k] === text) return;
      shown[k] = text;
      panels[k].innerHTML = picture(panel, `clip-${mine}-${k}`);
      panels[k].setAttribute("aria-label", panel.title + ". " + panel.x.label + "; " + panel.y.label);
    });
    frames.push(performance.now());
    if (frames.length > 1000) frames.splice(0, 500);
    if (scene.answers === number) {
      busy = false;
      if (waiting) { const next = waiting; waiting = null; send(next); }
    }
  }

  function send(place) {
    if (busy) { waiting = place; return; }
    busy = true;
    number += 1;
    model.send({handle: place.handle, x: place.x, y: place.y, number});
  }

  function place(svg, event) {
    const box = svg.getBoundingClientRect(), scale = WIDE / box.width;
    return [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
  }

  function listen(svg, k) {
    const panel = () => model.get("scene").panels[k];
    const nearest = (px, py) => {
      const s = scales(panel());
      let best = null, least = NEAR;
      for (const h of panel().handles) {
        const across = Math.abs(px - s.x(h.x)), off = h.upright ? across : Math.hypot(across, py - s.y(h.y));
        if (off < least) { least = off; best = h; }
      }
      return best;
    };
    svg.addEventListener("pointerdown", event => {
      held = nearest(...place(svg, event))?.name || null;
      if (!held) return;
      svg.setPointerCapture(event.pointerId);
      event.preventDefault();
    });
    svg.addEventListener("pointermove", event => {
      const [px, py] = place(svg, event), s = scales(panel());
      svg.style.cursor = held || nearest(px, py) ? "grab" : "default";
      if (held) send({handle: held, x: s.atX(px), y: s.atY(py)});
    });
    for (const end of ["pointerup", "pointercancel"]) svg.addEventListener(end, () => { held = null; });
  }

  model.on("change:scene", draw);
  draw();
  return () => model.off("change:scene", draw);
}

export default {render};
