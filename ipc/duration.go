package ipc

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

// maxFraction is how many digits may follow the point of a duration. With six
// the product below cannot overflow, and 0.000001ms is the finest duration.
const maxFraction = 6

// ParseDuration reads a duration as requests write it: digits, perhaps a point
// and at most six digits, and one unit of ms, s, m and h. A bare number is
// seconds. There is no sign, and no duration beyond what [time.Duration] holds.
func ParseDuration(text string) (time.Duration, error) {
	d, ok := parseDuration(text)
	if !ok {
		return 0, fmt.Errorf("%.40q is not a duration such as 250ms, 1.5s or 2m", text)
	}
	return d, nil
}

func parseDuration[T string | []byte](text T) (time.Duration, bool) {
	number := digits(text)
	whole, ok := parseInt(text[:number])
	if !ok {
		return 0, false
	}
	rest := text[number:]
	var fraction T
	if len(rest) > 0 && rest[0] == '.' {
		end := 1 + digits(rest[1:])
		fraction, rest = rest[1:end], rest[end:]
		if len(fraction) == 0 || len(fraction) > maxFraction {
			return 0, false
		}
	}
	unit, ok := parseUnit(rest)
	if !ok || whole > math.MaxInt64/int64(unit) {
		return 0, false
	}
	return addFraction(time.Duration(whole)*unit, fraction, unit)
}

// addFraction adds 0.fraction of a unit to a duration.
func addFraction[T string | []byte](d time.Duration, fraction T, unit time.Duration) (time.Duration, bool) {
	part, scale := time.Duration(0), time.Duration(1)
	for i := range len(fraction) {
		part = part*10 + time.Duration(fraction[i]-'0')
		scale *= 10
	}
	part = part * unit / scale
	if d > math.MaxInt64-part {
		return 0, false
	}
	return d + part, true
}

func parseUnit[T string | []byte](text T) (time.Duration, bool) {
	switch string(text) {
	case "", "s":
		return time.Second, true
	case "ms":
		return time.Millisecond, true
	case "m":
		return time.Minute, true
	case "h":
		return time.Hour, true
	}
	return 0, false
}

// digits counts the digits that text begins with.
func digits[T string | []byte](text T) int {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return i
		}
	}
	return len(text)
}

// parseInt reads a number of decimal digits alone, below 2^63.
func parseInt[T string | []byte](text T) (int64, bool) {
	if len(text) == 0 || digits(text) != len(text) {
		return 0, false
	}
	var n int64
	for i := range len(text) {
		digit := int64(text[i] - '0')
		if n > (math.MaxInt64-digit)/10 {
			return 0, false
		}
		n = n*10 + digit
	}
	return n, true
}

// appendSeconds writes a duration as replies do: in seconds, rounded down to a
// millisecond, without trailing zeros, such as 15s, 12.8s and 0.25s. Rounding
// down is what makes the time left of a lock safe to believe.
func appendSeconds(dst []byte, d time.Duration) []byte {
	return append(appendDecimal(dst, max(d, 0)/time.Millisecond, 3), 's')
}

// appendExact writes a duration as requests do, with nothing rounded away.
func appendExact(dst []byte, d time.Duration) []byte {
	if d%time.Millisecond == 0 {
		return appendSeconds(dst, d)
	}
	return append(appendDecimal(dst, d, 6), "ms"...)
}

// appendDecimal writes n divided by ten to the power of places.
func appendDecimal(dst []byte, n time.Duration, places int) []byte {
	scale := time.Duration(math.Pow10(places))
	dst = strconv.AppendInt(dst, int64(n/scale), 10)
	n %= scale
	if n == 0 {
		return dst
	}
	dst = append(dst, '.')
	for n > 0 {
		scale /= 10
		dst = append(dst, byte('0'+n/scale))
		n %= scale
	}
	return dst
}
