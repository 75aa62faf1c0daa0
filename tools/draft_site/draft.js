// What Quarto's programs do on a page: the two themes, and the search with Fuse and Quarto's settings.
(() => {
  const up = document.currentScript.dataset.up, themes = [...document.querySelectorAll("link[data-theme]")], button = document.querySelector("#dark");
  const show = dark => {
    document.body.classList.toggle("quarto-dark", dark);
    document.body.classList.toggle("quarto-light", !dark);
    document.documentElement.dataset.bsTheme = dark ? "dark" : "light";
    themes.forEach(t => { t.media = (t.dataset.theme == "dark") == dark ? "all" : "not all"; });
    button.textContent = dark ? "Light" : "Dark";
  };
  button.addEventListener("click", () => show(!document.body.classList.contains("quarto-dark")));
  show(matchMedia("(prefers-color-scheme: dark)").matches);
  const input = document.querySelector("#search"), found = document.querySelector("#found");
  let fuse = null;
  input.addEventListener("input", async () => {
    fuse ||= new Fuse(await (await fetch(`${up}search.json`)).json(), {
      keys: [{ name: "title", weight: 20 }, { name: "section", weight: 20 }, { name: "text", weight: 10 }],
      ignoreLocation: true, threshold: 0.1, isCaseSensitive: false, shouldSort: true, minMatchCharLength: 2 });
    found.replaceChildren(...fuse.search(input.value, { limit: 12 }).map(({ item }) => {
      const link = document.createElement("a");
      link.href = up + item.href;
      link.textContent = item.section ? `${item.title}: ${item.section}` : item.title;
      return link;
    }));
    found.hidden = !found.children.length;
  });
})();
