"""The picture that is shown where somebody links to the site: nbs/images/social.png.

    python tools/social.py

Made from the example of the package, and committed: it is the same for all pages, and changes only with the example. Its letters are large, because it is shown small.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PICTURE = ROOT / "nbs" / "images" / "social.png"
SIZE = 1200, 630  # px: what the services that show such pictures ask for


def draw(path=PICTURE):
    "Cost curves of two classifiers with their bands, under the name of the package."
    from io import BytesIO

    import matplotlib as mpl
    from matplotlib.figure import Figure
    from PIL import Image

    import costboot as cb

    example = cb.reporting.example_scores()
    w = [i / 100 for i in range(1, 100)]
    with mpl.rc_context({"font.size": 20, "axes.spines.top": False, "axes.spines.right": False}):
        figure = Figure(figsize=(SIZE[0] / 100, SIZE[1] / 100), dpi=100)
        ax = figure.add_axes((0.12, 0.15, 0.53, 0.56))
        for (name, scores), colour, place in zip(example.scores.items(), ("#0072B2", "#D55E00"), (0.42, 0.58)):
            law = cb.exact_cost(example.y_true, scores, w, example.thresholds[name])
            low, high = law.interval(0.9)
            ax.fill_between(w, low, high, color=colour, alpha=0.2, lw=0)
            ax.plot(w, law.mean, color=colour, lw=3)
            figure.text(0.68, place, name, color=colour, weight="bold")
        ax.set(xlim=(0, 1), ylim=(0, None), xlabel="operating condition w", ylabel="normalised cost", yticks=[0, 0.05, 0.1, 0.15])
        figure.text(0.04, 0.86, "costboot", fontsize=52, weight="bold")
        figure.text(0.04, 0.77, "Honest uncertainty for classifier performance", fontsize=27)
        figure.text(0.68, 0.27, "bands: 90 % intervals\nfrom exact bootstrap laws", fontsize=18, color="#444444")
    stream = BytesIO()
    figure.savefig(stream, format="png", metadata={"Software": None})
    Image.open(stream).convert("RGB").quantize(128, dither=Image.Dither.NONE).save(path, "PNG", optimize=True)
    return path


if __name__ == "__main__": print(draw(Path(sys.argv[1]) if sys.argv[1:] else PICTURE).stat().st_size, "bytes")
