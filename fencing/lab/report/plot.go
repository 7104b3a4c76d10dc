package report

import (
	"fmt"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/palette"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A figure is a plot of one thing over the number of workers.
type figure struct {
	name, title, unit string
	load              string
	value             func(c Cell) float64
}

func figures() []figure {
	return []figure{
		{"own-rate", "Each worker its own name", "cycles/s", "own", func(c Cell) float64 { return c.Rate }},
		{"own-p99", "Each worker its own name", "p99 of a cycle, ms", "own", func(c Cell) float64 { return c.Cycle.P99.Seconds() * 1e3 }},
		{"one-hand-offs", "All workers one name", "hand-offs/s", "one", func(c Cell) float64 { return c.HandOffs }},
		{"one-p99", "All workers one name", "p99 of an acquire, ms", "one", func(c Cell) float64 { return c.Acquire.P99.Seconds() * 1e3 }},
	}
}

// plotSuffix ends the names of files about so many members.
func plotSuffix(members int) string { return fmt.Sprintf("-%d.svg", members) }

// WritePlots writes SVG files into a directory, which it makes, and returns
// their paths. Both axes are logarithmic.
func (r *Report) WritePlots(dir string) ([]string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("write plots: %w", err)
	}
	var files []string
	for _, members := range r.members() {
		for _, f := range figures() {
			p, err := r.plot(f, members)
			if err != nil {
				return nil, fmt.Errorf("plot %s: %w", f.name, err)
			}
			if p == nil {
				continue
			}
			file := filepath.Join(dir, f.name+plotSuffix(members))
			if err := p.Save(20*vg.Centimeter, 12*vg.Centimeter, file); err != nil {
				return nil, fmt.Errorf("write plots: %w", err)
			}
			files = append(files, file)
		}
	}
	return files, nil
}

// plot draws a figure, or returns nil if there is nothing to draw.
func (r *Report) plot(f figure, members int) (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text = fmt.Sprintf("%s; members: %d", f.title, members)
	p.X.Label.Text, p.Y.Label.Text = "workers", f.unit
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.Y.Tick.Marker = plot.LogTicks{Prec: -1}
	p.Legend.Top, p.Legend.Padding = true, vg.Points(2)
	p.BackgroundColor = color.White
	p.Add(plotter.NewGrid())
	workers := map[float64]bool{}
	for i, system := range r.Systems {
		points := r.points(f, members, system.Name)
		if len(points) < 2 {
			continue
		}
		for _, point := range points {
			workers[point.X] = true
		}
		if err := addLine(p, points, system.Name, i, len(r.Systems)); err != nil {
			return nil, err
		}
	}
	if len(workers) == 0 {
		return nil, nil
	}
	p.X.Tick.Marker = workerTicks(workers)
	p.X.Max *= math.Pow(p.X.Max/p.X.Min, 0.4) // room for the legend
	p.Y.Min, p.Y.Max = math.Pow(10, math.Floor(math.Log10(p.Y.Min))), math.Pow(10, math.Ceil(math.Log10(p.Y.Max)))
	return p, nil
}

// points are a system's values, by workers. A logarithm has no place for those
// that are 0.
func (r *Report) points(f figure, members int, system string) plotter.XYs {
	var points plotter.XYs
	for _, c := range r.Cells {
		if y := f.value(c); c.System == system && c.Members == members && c.Load == f.load && y > 0 {
			points = append(points, plotter.XY{X: float64(c.Workers), Y: y})
		}
	}
	slices.SortFunc(points, func(a, b plotter.XY) int { return int(a.X - b.X) })
	return points
}

// addLine gives each system a colour and a glyph of its own.
func addLine(p *plot.Plot, points plotter.XYs, name string, i, n int) error {
	line, marks, err := plotter.NewLinePoints(points)
	if err != nil {
		return err
	}
	colors := palette.Rainbow(n, palette.Red, palette.Magenta, 1, 0.75, 1).Colors()
	glyphs := []draw.GlyphDrawer{draw.CircleGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.CrossGlyph{}, draw.PlusGlyph{}, draw.PyramidGlyph{}, draw.BoxGlyph{}, draw.RingGlyph{}}
	line.Color, marks.Color = colors[i], colors[i]
	line.Width, marks.Radius = vg.Points(1.5), vg.Points(3)
	marks.Shape = glyphs[i%len(glyphs)]
	p.Add(line, marks)
	p.Legend.Add(name, line, marks)
	return nil
}

// workerTicks marks the numbers of workers that were measured.
func workerTicks(workers map[float64]bool) plot.ConstantTicks {
	var ticks plot.ConstantTicks
	for n := range workers {
		ticks = append(ticks, plot.Tick{Value: n, Label: fmt.Sprintf("%.0f", n)})
	}
	slices.SortFunc(ticks, func(a, b plot.Tick) int { return int(a.Value - b.Value) })
	return ticks
}
