package systemd

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"

	"github.com/coreos/go-systemd/v22/journal"
	slogjournal "github.com/systemd/slog-journal"
)

// Journal is a handler that logs to systemd's journal by its native protocol, with a
// field for each attribute, or nil if standard error does not go there
// ($JOURNAL_STREAM, systemd.exec(5)), or the journal's own socket is not to be reached from
// here, as under RootDirectory=: the library would then drop what it is given.
func Journal(level slog.Leveler) (slog.Handler, error) {
	if to, err := journal.StderrIsJournalStream(); err != nil || !to || !journal.Enabled() {
		return nil, nil //nolint:nilerr // then standard error is where to log
	}
	fields, err := slogjournal.NewHandler(&slogjournal.Options{
		Level: level, ReplaceAttr: field, ReplaceGroup: fieldName,
	})
	if err != nil {
		return nil, fmt.Errorf("reach journal: %w", err)
	}
	return &worded{fields, nil}, nil
}

// field gives an attribute a name that the journal takes: the letters and digits of its
// key, with our name before it so that it meets nobody's.
func field(_ []string, a slog.Attr) slog.Attr {
	a.Key = fieldName(a.Key)
	if d, ok := a.Value.Any().(fmt.Stringer); ok && a.Value.Kind() == slog.KindDuration {
		a.Value = slog.StringValue(d.String())
	}
	return a
}

// fieldName is LOCKSIDE_KEY, systemd.journal-fields(7).
func fieldName(key string) string {
	return "LOCKSIDE_" + strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return r - 'a' + 'A'
		case r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
			return r
		}
		return '_'
	}, key)
}

// worded puts the attributes into the message too, since that is what people are shown.
type worded struct {
	slog.Handler
	with []slog.Attr
}

// Handle writes one record.
func (w *worded) Handle(ctx context.Context, r slog.Record) error {
	r = r.Clone()
	text := slog.NewRecord(r.Time, r.Level, r.Message, r.PC)
	text.AddAttrs(w.with...)
	r.Attrs(func(a slog.Attr) bool {
		text.AddAttrs(a)
		return true
	})
	var line bytes.Buffer
	if err := slog.NewTextHandler(&line, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: attributesAlone}).Handle(ctx, text); err != nil {
		return err
	}
	r.Message = strings.TrimSpace(r.Message + " " + line.String())
	return w.Handler.Handle(ctx, r)
}

// attributesAlone leaves out what every record has.
func attributesAlone(groups []string, a slog.Attr) slog.Attr {
	if len(groups) == 0 && (a.Key == slog.TimeKey || a.Key == slog.LevelKey || a.Key == slog.MessageKey) {
		return slog.Attr{}
	}
	return a
}

// WithAttrs is a handler that adds attributes to each record.
func (w *worded) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &worded{w.Handler.WithAttrs(attrs), append(w.with[:len(w.with):len(w.with)], attrs...)}
}

// WithGroup is a handler whose fields are those of a group; the words stay as they are.
func (w *worded) WithGroup(name string) slog.Handler {
	return &worded{w.Handler.WithGroup(name), w.with}
}
