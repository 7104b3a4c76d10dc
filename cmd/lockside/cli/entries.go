package cli

import (
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"lockside/ipc"
)

// entry is an ipc.Entry as JSON. What is not known is left out.
type entry struct {
	Name  string    `json:"name,omitzero"`
	Role  ipc.Role  `json:"role"`
	Fence int64     `json:"fence"`
	Host  string    `json:"host,omitzero"`
	PID   int       `json:"pid,omitzero"`
	UID   *int      `json:"uid,omitzero"`
	User  string    `json:"user,omitzero"`
	Comm  string    `json:"comm,omitzero"`
	Unit  string    `json:"unit,omitzero"`
	Owner string    `json:"owner,omitzero"`
	Since time.Time `json:"since,omitzero"`
}

func (a *app) who() *cobra.Command {
	return &cobra.Command{
		Use:   "who NAME",
		Short: "Show who holds a name and who waits, in order",
		Args:  oneName,
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := a.dial(cmd.Context())
			if err != nil {
				return err
			}
			defer client.Close()
			queue, err := client.Who(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if len(queue) == 0 && !a.json {
				_, err := fmt.Fprintf(a.stdout, "nobody holds %s\n", harmless(args[0]))
				return err
			}
			return a.writeEntries(queue)
		},
	}
}

func (a *app) list() *cobra.Command {
	scope := scopeValue{ipc.ScopeHost}
	cmd := &cobra.Command{
		Use:     "ls [flags] [GLOB]",
		Short:   "List locks",
		Example: "  lockside ls 'db/*' --scope cluster",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := a.dial(cmd.Context())
			if err != nil {
				return err
			}
			defer client.Close()
			entries, err := client.List(cmd.Context(), append(args, "*")[0], scope.Scope)
			if err != nil {
				return err
			}
			return a.writeEntries(entries)
		},
	}
	cmd.Flags().Var(&scope, "scope", "whose: session, host or cluster")
	return cmd
}

// writeEntries shows the column of names only if there are any: WHO, asked for
// one name, does not repeat it.
func (a *app) writeEntries(entries []ipc.Entry) error {
	if a.json {
		values := make([]entry, 0, len(entries))
		for _, e := range entries {
			values = append(values, jsonEntry(e))
		}
		return a.writeJSON(values)
	}
	head := []string{"NAME", "ROLE", "FENCE", "HOST", "PID", "USER", "COMMAND", "OWNER", "FOR"}
	first := 1
	rows := [][]string{head}
	for _, e := range entries {
		if e.Name != "" {
			first = 0
		}
		rows = append(rows, row(e, time.Now()))
	}
	for i := range rows {
		rows[i] = rows[i][first:]
	}
	return table(a.stdout, rows)
}

func jsonEntry(e ipc.Entry) entry {
	j := entry{
		Name: e.Name, Role: e.Role, Fence: e.Fence, Host: e.Host, PID: e.PID,
		User: e.User, Comm: e.Comm, Unit: e.Unit, Owner: e.Owner, Since: e.Since,
	}
	if e.UID >= 0 {
		j.UID = &e.UID
	}
	return j
}

func row(e ipc.Entry, now time.Time) []string {
	var pid, since string
	if e.PID > 0 {
		pid = strconv.Itoa(e.PID)
	}
	if !e.Since.IsZero() {
		since = age(e.Since, now)
	}
	return []string{e.Name, string(e.Role), strconv.FormatInt(e.Fence, 10), e.Host, pid, e.User, e.Comm, e.Owner, since}
}

// scopeValue is the flag --scope.
type scopeValue struct{ ipc.Scope }

func (s *scopeValue) Set(text string) error {
	for _, scope := range ipc.Scopes() {
		if scope.String() == text {
			s.Scope = scope
			return nil
		}
	}
	return fmt.Errorf("%q is none of session, host and cluster", text)
}

func (*scopeValue) Type() string { return "scope" }
