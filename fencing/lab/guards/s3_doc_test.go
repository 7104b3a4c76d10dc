package guards_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"lockside/fencing/lab/servers"
)

func TestS3AdapterIsShown(t *testing.T) {
	holdsAdapter(t, packageDoc(t, "objectguard"), "s3_example_test.go")
}

// TestS3Recipe types what the package's comment shows at a terminal, all in one
// shell.
func TestS3Recipe(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("there is no curl; apt-get install curl")
	}
	var typed, shown strings.Builder
	for line := range strings.Lines(packageDoc(t, "objectguard")) {
		if command, found := strings.CutPrefix(line, "\t$ "); found {
			typed.WriteString(command)
		} else if answer, found := strings.CutPrefix(line, "\t"); found && typed.Len() > 0 {
			shown.WriteString(answer)
		}
	}
	if n := strings.Count(typed.String(), "curl"); n != 4 {
		t.Errorf("it shows %d uses of curl, want 4", n)
	}
	shell := exec.CommandContext(t.Context(), "sh", "-c", typed.String())
	shell.Dir = t.TempDir()
	shell.Env = append(os.Environ(), "no_proxy=*",
		fmt.Sprintf("AUTH=--aws-sigv4 aws:amz:us-east-1:s3 --user %s:%s -H x-amz-content-sha256:UNSIGNED-PAYLOAD", servers.S3User, servers.S3Secret),
		fmt.Sprintf("URL=http://%s/%s", startS3(t).Address, jobs))
	out, err := shell.CombinedOutput()
	if printed := strings.ReplaceAll(string(out), "\r", ""); err != nil || printed != shown.String() {
		t.Errorf("it prints\n%swhere the comment has\n%s%v", printed, &shown, err)
	}
}
