package etcd

import "testing"

func TestEndpointsAsEtcdctlReadsThem(t *testing.T) {
	for _, test := range []struct {
		endpoint string
		haveTLS  bool
		target   string
		secure   bool
	}{
		{"127.0.0.1:2379", false, "passthrough:///127.0.0.1:2379", false},
		{"127.0.0.1:2379", true, "passthrough:///127.0.0.1:2379", true},
		{"http://127.0.0.1:2379", true, "passthrough:///127.0.0.1:2379", false},
		{"http://etcd.example.:2379/", false, "passthrough:///etcd.example.:2379", false},
		{"https://etcd.example:2379", false, "passthrough:///etcd.example:2379", true},
		{"https://[::1]:2379", true, "passthrough:///[::1]:2379", true},
		{"unix:///run/etcd.sock", true, "unix:/run/etcd.sock", false},
		{"unixs:///run/etcd.sock", true, "unix:/run/etcd.sock", true},
		{"unix://etcd.sock", false, "unix:etcd.sock", false},
	} {
		target, secure, err := parseEndpoint(test.endpoint, test.haveTLS)
		if err != nil || target != test.target || secure != test.secure {
			t.Errorf("parseEndpoint(%q, %v) = %q, %v, %v; want %q, %v", test.endpoint, test.haveTLS, target, secure, err, test.target, test.secure)
		}
	}
}

func TestEndpointsThatMakeNoSense(t *testing.T) {
	for _, endpoint := range []string{
		"", "127.0.0.1", ":2379", "127.0.0.1:", "http://", "ftp://127.0.0.1:2379", "unix://",
		"http://127.0.0.1:2379/v3", "http://127.0.0.1:2379?a=b", "http://user@127.0.0.1:2379", "a b:1", "::1:2379",
	} {
		if target, _, err := parseEndpoint(endpoint, false); err == nil {
			t.Errorf("parseEndpoint(%q) = %q, want an error", endpoint, target)
		}
		if _, err := New(Config{Endpoints: []string{endpoint}}); err == nil {
			t.Errorf("New took the endpoint %q", endpoint)
		}
	}
}

func FuzzParseEndpoint(f *testing.F) {
	f.Add("127.0.0.1:2379")
	f.Add("https://[::1]:2379")
	f.Add("unix:///run/etcd.sock")
	f.Fuzz(func(t *testing.T, endpoint string) {
		target, _, err := parseEndpoint(endpoint, false)
		if err == nil && target == "" {
			t.Errorf("parseEndpoint(%q) gives no target and no error", endpoint)
		}
	})
}
