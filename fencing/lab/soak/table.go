package soak

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// WriteTable writes the result for a terminal.
func (r *Result) WriteTable(w io.Writer) error {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(out, "\nsoak\t%v with %d clients on %d hosts, %d members, TTL %v, seed %d\n",
		r.For.Round(time.Second), r.Clients, r.Hosts, r.Members, r.TTL, r.Seed)
	if r.Cut != "" {
		fmt.Fprintf(out, "ended early\t%s\n", r.Cut)
	}
	fmt.Fprintf(out, "faults\t%s\n", counts(r.Faults))
	fmt.Fprintf(out, "grants\t%d, %d of names that another host had before; longest wait %v\n",
		r.Grants, r.Passed, r.LongestWait.Round(time.Millisecond))
	fmt.Fprintf(out, "released\t%d\n", r.Released)
	fmt.Fprintf(out, "refused\t%s; unreachable: %d\n", counts(r.Refusals), r.Unreachable)
	fmt.Fprintf(out, "lost\t%s\n", counts(r.Losses))
	fmt.Fprintf(out, "revoked by a former leader\t%d of the lost\n", r.Revoked)
	fmt.Fprintf(out, "lost without cause\t%s\n", counts(r.FalseLosses))
	fmt.Fprintf(out, "uses\t%d, %d refused for their fence\n", r.Uses, r.Denied)
	fmt.Fprintf(out, "stalls of the machine\t%d, the longest %v\n", r.Stalls.Count, r.Stalls.Longest.Round(time.Millisecond))
	fmt.Fprintf(out, "ended\t%v after the last fault\n", r.Finished.Round(time.Millisecond))
	fmt.Fprintf(out, "checked\t%d events\n\n", r.Events)
	fmt.Fprintf(out, "daemon\tkilled\tMiB warm\tMiB late\tfiles before\twarm\tlate\tafter\n")
	for _, d := range r.Daemons {
		fmt.Fprintf(out, "%s\t%d\t%s\t%s\t%d\t%d\t%d\t%d\n", d.Host, d.Killed,
			mebibytes(d.Warm.Resident), mebibytes(d.Late.Resident), d.Before.Files, d.Warm.Files, d.Late.Files, d.After.Files)
	}
	fmt.Fprintln(out)
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write the result as a table: %w", err)
	}
	return r.writeViolations(w)
}

func (r *Result) writeViolations(w io.Writer) error {
	if len(r.Violations) == 0 {
		_, err := fmt.Fprintln(w, "no violation")
		return err
	}
	for _, v := range r.Violations {
		doubt := ""
		if v.Doubt != "" {
			doubt = " (" + v.Doubt + ", which may be why: run it again)"
		}
		if _, err := fmt.Fprintf(w, "VIOLATION %s%s: %s\n", v.Rule, doubt, v.Text); err != nil {
			return fmt.Errorf("write the violations: %w", err)
		}
	}
	return nil
}

// counts lists how often each thing was there.
func counts(of map[string]int) string {
	var all []string
	for _, what := range slices.Sorted(maps.Keys(of)) {
		all = append(all, fmt.Sprintf("%s: %d", what, of[what]))
	}
	if len(all) == 0 {
		return "none"
	}
	return strings.Join(all, ", ")
}

// mebibytes writes a size, or that it was not looked at.
func mebibytes(bytes int64) string {
	if bytes == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f", float64(bytes)/(1<<20))
}
