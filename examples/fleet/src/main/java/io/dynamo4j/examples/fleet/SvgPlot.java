// SPDX-License-Identifier: Apache-2.0
package io.dynamo4j.examples.fleet;

import java.util.Locale;

/** Axes, grid and marks of one chart, as inline SVG: nothing is loaded from anywhere. */
final class SvgPlot {
  private static final int WIDTH = 960;
  private static final int HEIGHT = 260;
  private static final int LEFT = 64;
  private static final int RIGHT = 16;
  private static final int TOP = 12;
  private static final int BOTTOM = 34;
  private static final int GRID_LINES = 4;

  private final double xMax;
  private final double yMax;
  private final StringBuilder marks = new StringBuilder();

  /** Makes a plot of {@code [0, xMax] × [0, yMax]}. */
  SvgPlot(double xMax, double yMax) {
    this.xMax = xMax > 0 ? xMax : 1;
    double top = yMax > 0 ? yMax : 1;
    this.yMax = Math.ceil(top / niceStep(top)) * niceStep(top);
  }

  /** Returns a round distance of grid lines, whole for axes that count things. */
  private static double niceStep(double max) {
    double rough = max / GRID_LINES;
    double magnitude = Math.pow(10, Math.floor(Math.log10(rough)));
    for (double step : new double[] {1, 2, 5, 10}) {
      if (step * magnitude >= rough) {
        return step * magnitude;
      }
    }
    return rough;
  }

  /** Draws a polyline; points with a NaN value break it. */
  void line(double[] x, double[] y, String colour) {
    StringBuilder path = new StringBuilder();
    boolean open = false;
    for (int i = 0; i < x.length; i++) {
      if (Double.isNaN(y[i])) {
        open = false;
        continue;
      }
      path.append(open ? 'L' : 'M').append(format(px(x[i]))).append(' ').append(format(py(y[i])));
      open = true;
    }
    marks.append(
        "<path d=\"" + path + "\" fill=\"none\" stroke=\"" + colour + "\" stroke-width=\"1.8\"/>");
  }

  void bar(double xFrom, double xTo, double y, String colour, String title) {
    double top = py(y);
    marks.append(
        "<rect x=\""
            + format(px(xFrom))
            + "\" y=\""
            + format(top)
            + "\" width=\""
            + format(Math.max(0.5, px(xTo) - px(xFrom)))
            + "\" height=\""
            + format(py(0) - top)
            + "\" fill=\""
            + colour
            + "\"><title>"
            + title
            + "</title></rect>");
  }

  /** Draws a dot, with a dark outline if it is to stand out. */
  void dot(double x, double y, double radius, String colour, boolean outlined, String title) {
    marks.append(
        "<circle cx=\""
            + format(px(x))
            + "\" cy=\""
            + format(py(y))
            + "\" r=\""
            + format(radius)
            + "\" fill=\""
            + colour
            + (outlined ? "\" stroke=\"#1c2330\" stroke-width=\"1.5" : "\" fill-opacity=\"0.55")
            + "\"><title>"
            + title
            + "</title></circle>");
  }

  String render(String xLabel, String yLabel) {
    StringBuilder svg = new StringBuilder();
    svg.append("<svg viewBox=\"0 0 " + WIDTH + " " + HEIGHT + "\" role=\"img\">");
    double yStep = niceStep(yMax);
    for (int i = 0; i * yStep <= yMax * 1.0001; i++) {
      double y = i * yStep;
      svg.append(
          "<line x1=\""
              + LEFT
              + "\" x2=\""
              + (WIDTH - RIGHT)
              + "\" y1=\""
              + format(py(y))
              + "\" y2=\""
              + format(py(y))
              + "\" class=\"grid\"/>");
      text(svg, LEFT - 8, py(y) + 4, "end", format(y));
    }
    double xStep = niceStep(xMax);
    for (int i = 0; i * xStep <= xMax * 1.0001; i++) {
      text(svg, px(i * xStep), HEIGHT - BOTTOM + 16, "middle", format(i * xStep));
    }
    text(svg, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 4, "middle", xLabel);
    svg.append(
        "<text transform=\"translate(14 "
            + HEIGHT / 2
            + ") rotate(-90)\" text-anchor=\"middle\">"
            + yLabel
            + "</text>");
    return svg.append(marks).append("</svg>").toString();
  }

  private static void text(StringBuilder svg, double x, double y, String anchor, String value) {
    svg.append(
        "<text x=\""
            + format(x)
            + "\" y=\""
            + format(y)
            + "\" text-anchor=\""
            + anchor
            + "\">"
            + value
            + "</text>");
  }

  private double px(double x) {
    return LEFT + x / xMax * (WIDTH - LEFT - RIGHT);
  }

  private double py(double y) {
    return HEIGHT - BOTTOM - y / yMax * (HEIGHT - TOP - BOTTOM);
  }

  private static String format(double value) {
    String text = String.format(Locale.ROOT, "%.2f", value);
    return text.endsWith(".00") ? text.substring(0, text.length() - 3) : text;
  }
}
