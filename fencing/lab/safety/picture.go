package safety

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"lockside/fencing/lab/systems"
	"lockside/fencing/lab/timeline"
)

// A Picture is a file that shows a story.
type Picture struct {
	Scenario string
	Title    string
	File     string // a path
}

// WritePictures draws two stories of each scenario into a directory, which it
// makes: lockside before a resource that checks, and a rival where it shows the
// difference.
func (r *Report) WritePictures(dir string) ([]Picture, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("write pictures: %w", err)
	}
	var all []Picture
	for _, scenario := range r.Scenarios {
		for _, result := range r.pair(scenario.Name) {
			picture := Picture{scenario.Name, scenario.Title + ". " + result.subtitle(), filepath.Join(dir, result.file())}
			var drawn bytes.Buffer
			if err := timeline.SVG(&drawn, picture.Title, result.Events); err != nil {
				return nil, err
			}
			if err := os.WriteFile(picture.File, drawn.Bytes(), 0o644); err != nil {
				return nil, fmt.Errorf("write pictures: %w", err)
			}
			all = append(all, picture)
		}
	}
	return all, nil
}

// pair are the stories to draw of a scenario, as far as there are any.
func (r *Report) pair(scenario string) []Result {
	var all []Result
	for _, checked := range []bool{true, false} {
		if ours := r.result(systems.Lockside, scenario, checked); len(ours.Events) > 0 {
			all = append(all, ours)
			break
		}
	}
	if rival, ok := r.rival(scenario); ok {
		all = append(all, rival)
	}
	return all
}

// rival is the story of another system that went worst: one that lost an update
// although the resource checked, or lost one at all, or any.
func (r *Report) rival(scenario string) (worst Result, ok bool) {
	rank := 0
	for _, one := range r.Results {
		if one.Scenario != scenario || one.System == systems.Lockside || len(one.Events) == 0 {
			continue
		}
		if now := one.harm(); now > rank {
			worst, rank = one, now
		}
	}
	return worst, rank > 0
}

// harm ranks stories from 1, for one in which all went well.
func (r Result) harm() int {
	harm := 1
	if !r.correct() {
		harm += 1
	}
	if r.Lost {
		harm += 2
	}
	if r.Lost && !r.InTime {
		harm += 4
	}
	if r.Lost && r.Checked {
		harm += 8
	}
	return harm
}

// subtitle says whose story it is.
func (r Result) subtitle() string {
	if r.Checked {
		return r.System + "; the resource checks fences: " + r.word()
	}
	return r.System + "; the resource does not check fences: " + r.word()
}

// file names a picture. There is one of lockside, and one of a rival, so that no
// file of an earlier run stays behind.
func (r Result) file() string {
	side := "rival"
	if r.System == systems.Lockside {
		side = "lockside"
	}
	return strings.Join([]string{"safety", r.Scenario, side}, "-") + ".svg"
}
