// Command packaging builds lockside's deb and rpm packages:
//
//	go run ./packaging
//
// They are in dist afterwards, one for each architecture and format. Built twice
// from one commit, they are the same bit for bit: their time is the commit's
// (or SOURCE_DATE_EPOCH), and nothing of the machine goes into them. It needs
// Linux, and git unless -version and SOURCE_DATE_EPOCH tell what git would.
//
// What is in the packages, nfpm.yaml says; nfpm itself is a tool of
// packaging/tools, so that the modules it needs are not the product's.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "packaging:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("packaging", flag.ExitOnError)
	out := flags.String("o", "dist", "`directory` for the packages")
	version := flags.String("version", "", "`version` of the packages, as v1.2.3 (default what the commit is tagged with, or its time and name)")
	architectures := flags.String("arch", "amd64,arm64", "`architectures`, with commas between them")
	flags.Parse(args)
	if flags.NArg() > 0 {
		return fmt.Errorf("nothing is expected behind the flags, and there is %q", flags.Args())
	}
	root, err := moduleRoot(ctx)
	if err != nil {
		return err
	}
	r, err := findRelease(ctx, root, *version)
	if err != nil {
		return err
	}
	files, err := build(ctx, root, *out, r, strings.Split(*architectures, ","))
	for _, file := range files {
		fmt.Println(file)
	}
	return err
}
