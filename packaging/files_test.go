package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// golden compares with a file of testdata, or writes it.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s (go test -update writes it anew):\n%s", name, diff)
	}
}

// listed cuts sizes and times out of a listing.
func listed(listing string) string {
	line := regexp.MustCompile(`(?m)^(\S+) +(?:\d+ +)?(\w+)[/ ]+(\w+) .* (?:\.)?(/\S+)$`)
	return line.ReplaceAllString(listing, "$1 $2:$3 $4")
}

func TestDebFiles(t *testing.T) {
	needs(t, "dpkg-deb")
	for _, file := range packages(t, "v1.2.3", "deb") {
		golden(t, "deb.files", listed(says(t, "dpkg-deb", "-c", file)))
	}
}

func TestRPMFiles(t *testing.T) {
	needs(t, "rpm")
	for _, file := range packages(t, "v1.2.3", "rpm") {
		list := listed(says(t, "rpm", "-qplv", file))
		list += "\nconfiguration\n" + says(t, "rpm", "-qpc", file)
		list += "\ndocumentation\n" + says(t, "rpm", "-qpd", file)
		list += "\nlicence\n" + says(t, "rpm", "-qpL", file)
		golden(t, "rpm.files", list)
	}
}

func TestDebControl(t *testing.T) {
	needs(t, "dpkg-deb")
	for _, file := range packages(t, "v1.2.3", "deb") {
		fields := says(t, "dpkg-deb", "-f", file)
		fields = regexp.MustCompile(`(?m)^(Architecture|Installed-Size): .*$`).ReplaceAllString(fields, "$1: …")
		golden(t, "deb.control", fields)
		if conffiles := says(t, "dpkg-deb", "-I", file, "conffiles"); conffiles != "/etc/lockside/lockside.yaml\n" {
			t.Errorf("conffiles are %q", conffiles)
		}
	}
}

func TestRPMHeader(t *testing.T) {
	needs(t, "rpm")
	const format = `Name: %{NAME}
Version: %{VERSION}
Release: %{RELEASE}
License: %{LICENSE}
Group: %{GROUP}
Vendor: %{VENDOR}
Packager: %{PACKAGER}
Build time: %{BUILDTIME}
Build host: %{BUILDHOST}
Summary: %{SUMMARY}

%{DESCRIPTION}
`
	for _, file := range packages(t, "v1.2.3", "rpm") {
		golden(t, "rpm.header", says(t, "rpm", "-qp", "--qf", format, file)+"\n"+says(t, "rpm", "-qpR", file))
	}
}
