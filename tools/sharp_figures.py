# Runs in the kernel of a page before its first cell (tools/run_notebooks.py). Figures are stored at twice the density, in few colours, with the size
# at which they are shown; `smallest` is the height of their smallest letters there, in px, for which tools/figures.py makes room on a telephone.
def _sharpen():
    from base64 import b64encode
    from io import BytesIO

    from IPython.core import pylabtools

    plain = pylabtools.retina_figure

    def smallest(figure):
        from matplotlib.text import Text

        sizes = [t.get_fontsize() for t in figure.findobj(Text) if t.get_text().strip() and t.get_visible()]
        return round(min(sizes) * figure.dpi / 72, 1) if sizes else None

    def few_colours(data):
        from PIL import Image

        stream = BytesIO()
        Image.open(BytesIO(data)).convert("RGB").quantize(128, dither=Image.Dither.NONE).save(stream, "PNG", optimize=True)
        return min(data, stream.getvalue(), key=len)

    def sharp(figure, base64=False, **options):
        found = plain(figure, base64=False, **options)
        if found is None: return None  # an empty figure
        data, told = few_colours(found[0]), found[1] | ({"smallest": size} if (size := smallest(figure)) else {})
        return (b64encode(data).decode("ascii") if base64 else data), told

    pylabtools.retina_figure = sharp


_sharpen()
del _sharpen
