package embedded

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// Etcd warns of its own settings whenever it starts, and takes every listener
// that it closes itself for an error. The level follows the member's life, to
// leave out both.
const (
	whileStarting = zapcore.ErrorLevel
	whileServing  = zapcore.WarnLevel
	whileStopping = zapcore.DPanicLevel
)

// zapLogger gives etcd a logger that writes to log from the given level up.
// What etcd calls fatal becomes a panic, so that [Start] can tell why.
func zapLogger(log *slog.Logger, level zap.AtomicLevel) *zap.Logger {
	core := &core{AtomicLevel: level, log: log}
	return zap.New(core, zap.WithFatalHook(panics{}), zap.WithPanicHook(panics{}))
}

// fatal is what etcd cannot continue from.
type fatal string

func (f fatal) Error() string { return string(f) }

// panics makes a panic of a log entry and the error in it.
type panics struct{}

func (panics) OnWrite(entry *zapcore.CheckedEntry, fields []zapcore.Field) {
	text := entry.Message
	for _, f := range fields {
		if err, ok := f.Interface.(error); ok {
			text = fmt.Sprintf("%s: %v", text, err)
		}
	}
	panic(fatal(text))
}

// core is a zap core that writes to slog.
type core struct {
	zap.AtomicLevel
	log    *slog.Logger
	fields []zapcore.Field
}

var _ zapcore.Core = (*core)(nil)

func (c *core) With(fields []zapcore.Field) zapcore.Core {
	return &core{c.AtomicLevel, c.log, slices.Concat(c.fields, fields)}
}

func (c *core) Check(entry zapcore.Entry, checked *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if c.Enabled(entry.Level) {
		return checked.AddCore(entry, c)
	}
	return checked
}

// Write puts etcd's own message into a field, since the daemon's messages are
// its own.
func (c *core) Write(entry zapcore.Entry, fields []zapcore.Field) error {
	level := slog.LevelWarn
	if entry.Level > zapcore.WarnLevel {
		level = slog.LevelError
	}
	encoder := zapcore.NewMapObjectEncoder()
	for _, f := range slices.Concat(c.fields, fields) {
		f.AddTo(encoder)
	}
	attrs := []slog.Attr{slog.String("event", entry.Message)}
	for _, key := range slices.Sorted(maps.Keys(encoder.Fields)) {
		attrs = append(attrs, slog.Any(key, encoder.Fields[key]))
	}
	c.log.LogAttrs(context.Background(), level, "embedded etcd", attrs...)
	return nil
}

func (c *core) Sync() error { return nil }
