package fencing_test

import (
	"database/sql"
	"database/sql/driver"
	"encoding"
	"encoding/json"
	"errors"
	"testing"

	"lockside/fencing"
)

var (
	_ driver.Valuer            = fencing.Token{}
	_ sql.Scanner              = (*fencing.Token)(nil)
	_ driver.Valuer            = fencing.Cluster(0)
	_ sql.Scanner              = (*fencing.Cluster)(nil)
	_ encoding.TextMarshaler   = fencing.Token{}
	_ encoding.TextUnmarshaler = (*fencing.Token)(nil)
)

// id is a cluster as etcd names one.
const id fencing.Cluster = 0xcdf818194e3a8c32

func TestParse(t *testing.T) {
	for text, want := range map[string]fencing.Token{
		"1":                     {Fence: 1},
		"8123":                  {Fence: 8123},
		"9223372036854775807":   {Fence: 1<<63 - 1},
		"8123@cdf818194e3a8c32": {Cluster: id, Fence: 8123},
		"8123@1":                {Cluster: 1, Fence: 8123},
	} {
		got, err := fencing.Parse(text)
		if err != nil || got != want {
			t.Errorf("Parse(%q) = %v, %v, want %v", text, got, err, want)
		}
		if got.String() != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, text := range []string{
		"", "0", "-1", "+1", "01", " 1", "1 ", "1.0", "1e3", "0x10", "١", "9223372036854775808", "8123@",
		"8123@0", "8123@xyz", "8123@CDF8", "8123@0cdf", "8123@1@1", "8123@11112222333344445", "@1", "8123\n",
	} {
		if got, err := fencing.Parse(text); !errors.Is(err, fencing.ErrToken) || errors.Is(err, fencing.ErrShared) || !got.IsZero() {
			t.Errorf("Parse(%q) = %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"s8123", "s8123@cdf8"} {
		if _, err := fencing.Parse(text); !errors.Is(err, fencing.ErrShared) || !errors.Is(err, fencing.ErrToken) {
			t.Errorf("Parse(%q): %v", text, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"8123", "8123@cdf818194e3a8c32", "s1", "0", ""} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		token, err := fencing.Parse(text)
		if err == nil && (token.String() != text || token.Check() != nil) {
			t.Errorf("Parse(%q) = %v", text, token)
		}
		if err != nil && !errors.Is(err, fencing.ErrToken) {
			t.Errorf("Parse(%q): %v", text, err)
		}
	})
}

func TestJSON(t *testing.T) {
	type work struct {
		Token fencing.Token `json:"token"`
	}
	for _, w := range []work{{fencing.Token{Fence: 1<<53 + 1}}, {fencing.Token{Cluster: id, Fence: 8}}} {
		text, err := json.Marshal(w)
		if want := `{"token":"` + w.Token.String() + `"}`; err != nil || string(text) != want {
			t.Fatalf("%s, %v, want %s", text, err, want)
		}
		var back work
		if err := json.Unmarshal(text, &back); err != nil || back != w {
			t.Errorf("%s became %v, %v", text, back, err)
		}
	}
	if text, err := json.Marshal(work{}); !errors.Is(err, fencing.ErrToken) {
		t.Errorf("no token became %s, %v", text, err)
	}
	for _, text := range []string{`{"token":8123}`, `{"token":"s1"}`, `{"token":""}`} {
		var back work
		if err := json.Unmarshal([]byte(text), &back); err == nil {
			t.Errorf("%s became %v", text, back)
		}
	}
}

func TestSQL(t *testing.T) {
	value, err := fencing.Token{Cluster: id, Fence: 8123}.Value()
	if value != int64(8123) || err != nil {
		t.Errorf("Value() = %v, %v", value, err)
	}
	if value, err := (fencing.Token{}).Value(); !errors.Is(err, fencing.ErrToken) {
		t.Errorf("the value of no token is %v, %v", value, err)
	}
	for _, column := range []any{int64(8123), "8123", []byte("8123")} {
		token := fencing.Token{Cluster: id}
		if err := token.Scan(column); err != nil || token != (fencing.Token{Cluster: id, Fence: 8123}) {
			t.Errorf("Scan(%v) = %v, %v", column, token, err)
		}
	}
	for _, column := range []any{nil, int64(0), "0"} {
		token := fencing.Token{Fence: 7}
		if err := token.Scan(column); err != nil || !token.IsZero() {
			t.Errorf("Scan(%v) = %v, %v", column, token, err)
		}
	}
	for _, column := range []any{int64(-1), "x", "8@1", 1.5, true} {
		token := fencing.Token{Fence: 7}
		if err := token.Scan(column); !errors.Is(err, fencing.ErrToken) || token.Fence != 7 {
			t.Errorf("Scan(%v) = %v, %v", column, token, err)
		}
	}
}

func TestClusterSQL(t *testing.T) {
	for _, c := range []fencing.Cluster{0, 1, id} {
		value, err := c.Value()
		if err != nil {
			t.Fatal(err)
		}
		back := fencing.Cluster(7)
		if err := back.Scan(value); err != nil || back != c {
			t.Errorf("%v became %v, %v", c, back, err)
		}
	}
	var c fencing.Cluster
	for _, column := range []any{"0", "x", int64(1)} {
		if err := c.Scan(column); !errors.Is(err, fencing.ErrToken) {
			t.Errorf("Scan(%v) = %v, %v", column, c, err)
		}
	}
}

func TestFromEnv(t *testing.T) {
	for _, c := range []struct {
		fence, cluster string
		want           fencing.Token
		err            error
	}{
		{"8123", "", fencing.Token{Fence: 8123}, nil},
		{"8123", "cdf818194e3a8c32", fencing.Token{Cluster: id, Fence: 8123}, nil},
		{"", "", fencing.Token{}, fencing.ErrToken},
		{"s8123", "", fencing.Token{}, fencing.ErrShared},
		{"8123", "x", fencing.Token{}, fencing.ErrToken},
	} {
		t.Setenv("LOCKSIDE_FENCE", c.fence)
		t.Setenv("LOCKSIDE_CLUSTER", c.cluster)
		got, err := fencing.FromEnv()
		if !errors.Is(err, c.err) || c.err == nil && got != c.want {
			t.Errorf("%q %q: %v, %v", c.fence, c.cluster, got, err)
		}
	}
}
