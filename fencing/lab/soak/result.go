package soak

import (
	"encoding/json"
	"fmt"
	"io"
	"time"
)

// A Result is what a soak has shown.
type Result struct {
	Seed     uint64        `json:"seed"`
	For      time.Duration `json:"for_ns"` // how long there were faults
	Cut      string        `json:"cut,omitempty"`
	Hosts    int           `json:"hosts"`
	Members  int           `json:"members"`
	Clients  int           `json:"clients"`
	TTL      time.Duration `json:"ttl_ns"`
	Finished time.Duration `json:"finished_ns"` // from the end of the faults until every client had ended

	Tally
	Faults     map[string]int `json:"faults"` // how often each was there
	Stalls     Stalls         `json:"stalls"`
	Daemons    []DaemonUse    `json:"daemons"`
	Violations []Violation    `json:"violations"` // the first hundred of each sort
}

// A Tally is what the clients were told.
type Tally struct {
	Events      int            `json:"events"`
	Grants      int            `json:"grants"`
	Passed      int            `json:"passed"` // of them, names that another host had before
	Released    int            `json:"released"`
	LongestWait time.Duration  `json:"longest_wait_ns"`
	Refusals    map[string]int `json:"refusals"`     // by their reason
	Losses      map[string]int `json:"losses"`       // by their reason
	FalseLosses map[string]int `json:"false_losses"` // of them, those that no fault explains
	Revoked     int            `json:"revoked"`      // of them, those that etcd brought about: see the README
	Unreachable int            `json:"unreachable"`  // how often a daemon could not be reached
	Uses        int            `json:"uses"`         // of what the locks guard
	Denied      int            `json:"denied"`       // of them, refused for their fence
}

// Stalls are the times when a process of the lab should have run and did not.
type Stalls struct {
	Count   int           `json:"count"`
	Longest time.Duration `json:"longest_ns"`
}

// A Violation is a promise that was not kept.
type Violation struct {
	Rule string `json:"rule"`
	Text string `json:"text"`

	// Doubt is why it may not be the product's fault, if there is a reason.
	Doubt string `json:"doubt,omitempty"`
}

// Err tells of all violations that are beyond doubt, or is nil.
func (r *Result) Err() error {
	sure := 0
	for _, v := range r.Violations {
		if v.Doubt == "" {
			sure++
		}
	}
	if sure == 0 {
		return nil
	}
	return fmt.Errorf("%d violations; run it again with --seed %d", sure, r.Seed)
}

// WriteJSON writes all there is.
func (r *Result) WriteJSON(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(r); err != nil {
		return fmt.Errorf("write the result as JSON: %w", err)
	}
	return nil
}
