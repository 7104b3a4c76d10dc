package faults_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// Bounds are what was measured of faults, as a table in Markdown.
type bounds struct {
	mu   sync.Mutex // guards rows
	rows []*bound
}

// A bound is what was measured of one fault: the time from it to the holder's
// end-of-file and to the next grant, and from the one to the other.
type bound struct {
	fault                string
	ended, granted, gaps []time.Duration
	falseLosses          int
}

// add notes a round of a fault.
func (b *bounds) add(fault string, ended, granted time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	row := b.rowLocked(fault)
	row.ended = append(row.ended, ended)
	row.granted = append(row.granted, granted)
	row.gaps = append(row.gaps, granted-ended)
}

// falseLoss notes a lock that was lost although nothing had happened yet.
func (b *bounds) falseLoss(fault string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.rowLocked(fault).falseLosses++
}

func (b *bounds) rowLocked(fault string) *bound {
	for _, row := range b.rows {
		if row.fault == fault {
			return row
		}
	}
	row := &bound{fault: fault}
	b.rows = append(b.rows, row)
	return row
}

// String is the table.
func (b *bounds) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	slices.SortFunc(b.rows, func(x, y *bound) int { return strings.Compare(x.fault, y.fault) })
	var out strings.Builder
	out.WriteString("\n| fault | rounds | end-of-file after, p50 / p99 / max | next grant after, p50 / p99 / max | least between | false losses |\n")
	out.WriteString("| --- | --- | --- | --- | --- | --- |\n")
	for _, row := range b.rows {
		least := "-"
		if len(row.gaps) > 0 {
			least = seconds(slices.Min(row.gaps))
		}
		fmt.Fprintf(&out, "| %s | %d | %s | %s | %s | %d |\n", row.fault, len(row.gaps),
			quantiles(row.ended), quantiles(row.granted), least, row.falseLosses)
	}
	return out.String()
}

// quantiles are the median, the 99th of a hundred and the greatest.
func quantiles(all []time.Duration) string {
	if len(all) == 0 {
		return "-"
	}
	sorted := slices.Sorted(slices.Values(all))
	at := func(share float64) string { return seconds(sorted[int(share*float64(len(sorted)-1)+0.5)]) }
	return at(0.5) + " / " + at(0.99) + " / " + at(1)
}

// seconds is a duration in whole milliseconds, or in seconds.
func seconds(d time.Duration) string {
	if d.Abs() < time.Second {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.2f s", d.Seconds())
}
