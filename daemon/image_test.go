package daemon

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"lockside/leases"
	"lockside/leases/core"
)

// leave leaves a text to this program, as if another had been before it.
func leave(t *testing.T, text string) {
	t.Helper()
	fd, err := unix.MemfdCreate("image", 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := unix.Pwrite(fd, []byte(text), 0); err != nil {
		t.Fatal(err)
	}
	t.Setenv("LOCKSIDE_HANDOVER", strconv.Itoa(fd))
}

// TestInheritRefuses: what is not understood is not gone on from, and whoever was taken
// by then reads end-of-file.
func TestInheritRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"nothing":         "",
		"no image":        "LOCK nightly\n",
		"half an image":   `{"Version":1,"Sessions":[`,
		"a later version": fmt.Sprintf(`{"Version":%d}`, ImageVersion+1),
		"no version":      `{}`,
		"nothing open":    fmt.Sprintf(`{"Version":%d,"Locks":{},"Socket":9999,"SocketLock":9998,"State":9997}`, ImageVersion),
		"no locks":        fmt.Sprintf(`{"Version":%d}`, ImageVersion),
	} {
		t.Run(name, func(t *testing.T) {
			leave(t, text)
			if f, err := Inherit(); err == nil {
				t.Errorf("it goes on from %+v", f)
			}
		})
	}
}

// TestInheritIsAllOrNothing: with one file missing all clients read end-of-file.
func TestInheritIsAllOrNothing(t *testing.T) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	client := os.NewFile(uintptr(pair[0]), "client")
	defer client.Close()
	img := image{
		Version: ImageVersion, Socket: 9999, SocketLock: 9998, State: 9997,
		Locks: &leases.Image{Machine: &core.Image{}}, Sessions: []sessionImage{{ID: 1, Connection: pair[1]}},
	}
	text, err := json.Marshal(img)
	if err != nil {
		t.Fatal(err)
	}
	leave(t, string(text))
	if f, err := Inherit(); err == nil {
		t.Fatalf("it goes on from %+v", f)
	}
	conn, err := net.FileConn(client)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	var said [100]byte
	n, _ := conn.Read(said[:])
	if got := string(said[:n]); got != "! LOST reason=shutdown\n" {
		t.Errorf("the client reads %q", got)
	}
	if n, err := conn.Read(said[:]); n > 0 || err == nil {
		t.Errorf("and then %q", said[:n])
	}
}

// TestImageVersion: whoever changes what is handed over raises the version, and writes
// the new form down with
//
//	LOCKSIDE_TEST_UPDATE=1 go test -run TestImageVersion ./daemon
func TestImageVersion(t *testing.T) {
	var form strings.Builder
	fmt.Fprintf(&form, "version %d\n", ImageVersion)
	describe(&form, reflect.TypeFor[image](), map[reflect.Type]bool{})
	path := filepath.Join("testdata", "image.txt")
	if os.Getenv("LOCKSIDE_TEST_UPDATE") != "" {
		if err := os.WriteFile(path, []byte(form.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if form.String() != string(want) {
		t.Errorf("the image has another form than its version: raise ImageVersion\ngot:\n%swant:\n%s", form.String(), want)
	}
}

// describe writes the fields of a type, and then those of the types in it.
func describe(w *strings.Builder, typ reflect.Type, seen map[reflect.Type]bool) {
	for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice || typ.Kind() == reflect.Map {
		typ = typ.Elem()
	}
	if typ.Kind() != reflect.Struct || seen[typ] || typ.PkgPath() == "time" {
		return
	}
	seen[typ] = true
	fmt.Fprintf(w, "%s\n", typ)
	for field := range typ.Fields() {
		fmt.Fprintf(w, "\t%s %s\n", field.Name, field.Type)
	}
	for field := range typ.Fields() {
		describe(w, field.Type, seen)
	}
}
