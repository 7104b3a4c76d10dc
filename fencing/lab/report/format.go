package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// none stands where there is nothing to tell.
const none = "-"

// perSecond writes a rate.
func perSecond(rate float64) string {
	if rate > 0 && rate < 10 {
		return fmt.Sprintf("%.1f", rate)
	}
	return count(int(math.Round(rate)))
}

// count writes a number with a comma between thousands.
func count(n int) string {
	digits := strconv.Itoa(n)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}

// millis writes a duration in milliseconds, with three digits that count.
func millis(d time.Duration) string {
	ms := float64(d) / float64(time.Millisecond)
	switch {
	case ms < 10:
		return fmt.Sprintf("%.2f", ms)
	case ms < 100:
		return fmt.Sprintf("%.1f", ms)
	}
	return fmt.Sprintf("%.0f", ms)
}

// ratio writes how many times as large a is as b.
func ratio(a, b float64) string {
	switch {
	case b <= 0:
		return none
	case a/b >= 10:
		return fmt.Sprintf("%.0f", a/b)
	case a/b >= 0.1:
		return fmt.Sprintf("%.2f", a/b)
	}
	return fmt.Sprintf("%.3f", a/b)
}

// percent writes a share.
func percent(shares []float64) string {
	var all []string
	for _, s := range shares {
		all = append(all, fmt.Sprintf("%.0f", 100*s))
	}
	return strings.Join(all, ":")
}
