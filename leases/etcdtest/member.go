package etcdtest

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
)

// memberVariable holds a member's configuration in its environment.
const memberVariable = "LOCKSIDE_ETCDTEST_MEMBER"

// ready is what a member writes to its standard output once it serves.
const ready = "ready\n"

// Main runs a member if this process was started as one, and otherwise the
// tests. Call it from TestMain.
func Main(m interface{ Run() int }) {
	Member()
	os.Exit(m.Run())
}

// Member runs a member and exits if this process was started as one. It is for a
// TestMain that does more than Main does.
func Member() {
	text, ok := os.LookupEnv(memberVariable)
	if !ok {
		return
	}
	if err := runMember(text); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// runMember serves until standard input ends, as it does when the test's process
// dies. Peers find each other's sockets in the working directory: their URLs
// have no room for a path.
func runMember(text string) error {
	var c config
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		return fmt.Errorf("read member configuration: %w", err)
	}
	if err := os.Chdir(c.Dir); err != nil {
		return err
	}
	member, err := startMember(c)
	if err != nil {
		return err
	}
	defer member.Close()
	if _, err := io.WriteString(os.Stdout, ready); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}
