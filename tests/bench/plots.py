# SPDX-License-Identifier: GPL-2.0-only
"""Plots of Documentation/bench as SVG; see publish."""


def svg(width, height, body):
    style = ("text{font:12px sans-serif;fill:#222}.axis{stroke:#888}.stock{fill:#b0563a;stroke:#b0563a}"
             ".noclone{fill:#2f6f9f;stroke:#2f6f9f}.core{fill:#b08a3a}.limit{fill:#777}"
             "@media(prefers-color-scheme:dark){text{fill:#ddd}}")
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
                      f'width="{width}" height="{height}">', f"<style>{style}</style>", *body,
                      "</svg>", ""])


def text(x, y, words, anchor="middle"):
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}">{words}</text>'


def legend(x, labels):
    """labels: kind -> what it is called."""
    return [f'<rect class="{kind}" x="{x}" y="{26 + 18 * i}" width="10" height="10"/>' +
            text(x + 16, 35 + 18 * i, label, "start")
            for i, (kind, label) in enumerate(labels.items())]


def bars(title, groups, labels, sign="+"):
    """groups: label -> kind -> value."""
    top = max(max(values.values()) for values in groups.values())
    step = 44 * len(labels) + 22
    right = 40 + max(step * len(groups), 440)
    body = [text((40 + right) / 2, 16, title),
            f'<line class="axis" x1="40" y1="250" x2="{right}" y2="250"/>']
    for i, (label, values) in enumerate(groups.items()):
        left = 40 + step * i + 13
        body.append(text(left + 22 * len(labels) - 2, 268, label))
        for j, kind in enumerate(labels):
            if kind in values:
                x, high = left + 44 * j, 150 * values[kind] / top
                body.append(f'<rect class="{kind}" x="{x}" y="{250 - high:.0f}" width="40" '
                            f'height="{high:.0f}"/>')
                body.append(text(x + 20, 245 - high, f"{values[kind]:{sign}.0f}"))
    return svg(right + 40, 280, body + legend(right - 80, labels))


def lines_plot(title, series):
    """series: name -> [(depth, value)]."""
    points = [p for s in series.values() for p in s]
    top = max(v for _, v in points)
    deepest = max(d for d, _ in points)
    body = [text(240, 16, title), text(240, 296, "layers"),
            '<line class="axis" x1="60" y1="260" x2="440" y2="260"/>',
            '<line class="axis" x1="60" y1="70" x2="60" y2="260"/>', text(56, 264, "0", "end"),
            text(56, 78, f"{top:.0f}", "end")]
    for kind, values in series.items():
        spots = [(60 + 370 * d / deepest, 260 - 185 * v / top) for d, v in values]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in spots)
        body.append(f'<polyline class="{kind}" style="fill:none" stroke-width="2" points="{path}"/>')
        body += [f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="3"/>' for x, y in spots]
    body += [text(60 + 370 * d / deepest, 278, str(d)) for d in range(1, deepest + 1)]
    return svg(480, 304, body + legend(90, {kind: kind for kind in series}))
