package history

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// Merge reads what several recorders wrote and puts all in order. A last line
// without its end, of a process that was killed as it wrote, is left out.
func Merge(readers ...io.Reader) ([]Event, error) {
	var all []Event
	for _, r := range readers {
		events, err := read(r)
		if err != nil {
			return nil, fmt.Errorf("read a history: %w", err)
		}
		all = append(all, events...)
	}
	slices.SortStableFunc(all, func(a, b Event) int { return cmp.Compare(a.At, b.At) })
	return all, nil
}

func read(r io.Reader) ([]Event, error) {
	var all []Event
	for in := bufio.NewReader(r); ; {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		var e Event
		decoder := json.NewDecoder(bytes.NewReader(line))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&e); err != nil {
			return nil, fmt.Errorf("line %d: %w", len(all)+1, err)
		}
		all = append(all, e)
	}
}
