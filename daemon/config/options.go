package config

// option is one setting: its name everywhere, what its help calls the value,
// and where the value goes.
type option struct {
	key   string
	arg   string
	value value
	help  string
}

// section is a heading of the help and the options below it.
type section struct {
	title   string
	options []option
}

// sections binds every setting to its field of c.
func (c *Config) sections() []section {
	return []section{
		{"Socket", c.socketOptions()},
		{"Store", c.storeOptions()},
		{"Leases", c.leaseOptions()},
		{"Limits", c.limitOptions()},
		{"Log", c.logOptions()},
	}
}

// options is every setting, without the headings.
func (c *Config) options() []option {
	var all []option
	for _, s := range c.sections() {
		all = append(all, s.options...)
	}
	return all
}

func (c *Config) socketOptions() []option {
	return []option{
		{"socket", "PATH", (*text)(&c.Socket), "Unix socket that clients connect to"},
		{"socket-mode", "MODE", (*mode)(&c.SocketMode), "permissions of the socket, octal"},
		{"socket-group", "GROUP", (*text)(&c.SocketGroup), "group of the socket, by name or number"},
	}
}

func (c *Config) storeOptions() []option {
	return []option{
		{"endpoints", "URL,...", (*list)(&c.Endpoints), "etcd members"},
		{"cacert", "FILE", (*text)(&c.CACert), "CA certificates that etcd's certificate must come from"},
		{"cert", "FILE", (*text)(&c.Cert), "client certificate for etcd"},
		{"key", "FILE", (*text)(&c.Key), "key of the client certificate"},
		{"insecure-skip-tls-verify", "", (*truth)(&c.InsecureSkipVerify), "accept any certificate of etcd: for tests only"},
		{"user", "NAME[:PASSWORD]", (*login)(&c.User), "user of etcd"},
		{"password", "TEXT", (*secret)(&c.Password), "password of the user; every local user can read a flag"},
		{"password-file", "FILE", (*text)(&c.PasswordFile), "file whose first line is the password"},
		{"allow-old-servers", "", (*truth)(&c.AllowOldServers), "use etcd servers known to lose leases"},
		{"embedded", "", (*truth)(&c.Embedded), "run a one-member etcd inside the daemon"},
		{"embedded-listen", "ADDR", (*text)(&c.EmbeddedListen), "loopback HOST:PORT or unix:PATH of it (default in the state directory)"},
		{"prefix", "PREFIX", (*text)(&c.Prefix), "beginning of every key, with its slash"},
		{"state-dir", "DIR", (*text)(&c.StateDir), "directory for what must outlive the daemon"},
		{"host", "NAME", (*text)(&c.Host), "name of this host in the queues"},
	}
}

func (c *Config) leaseOptions() []option {
	return []option{
		{"ttl", "DUR", (*duration)(&c.TTL), "TTL of a session that asks for none"},
		{"min-ttl", "DUR", (*duration)(&c.MinTTL), "shortest TTL that a session may ask for"},
		{"max-ttl", "DUR", (*duration)(&c.MaxTTL), "longest TTL that a session may ask for"},
		{"margin", "DUR", (*duration)(&c.Margin), "close sessions this long before a deadline (default TTL/6, at least 1s)"},
	}
}

func (c *Config) limitOptions() []option {
	return []option{
		{"max-sessions", "N", (*count)(&c.Limits.Sessions), "sessions in all"},
		{"max-sessions-per-user", "N", (*count)(&c.Limits.SessionsPerUser), "sessions of one local user"},
		{"max-locks-per-session", "N", (*count)(&c.Limits.LocksPerSession), "names that one session holds or waits for"},
		{"max-waiters", "N", (*count)(&c.Limits.Waiters), "waiting requests in all"},
		{"max-waiters-per-name", "N", (*count)(&c.Limits.WaitersPerName), "waiting requests for one name"},
	}
}

func (c *Config) logOptions() []option {
	return []option{
		{"log-level", "LEVEL", (*level)(&c.LogLevel), "debug, info, warn or error"},
		{"log-format", "FORMAT", (*text)(&c.LogFormat), "text or json"},
	}
}
