package httpguard

import (
	"context"
	"fmt"
	"strings"

	"lockside/fencing"
	"lockside/fencing/internal/durable"
)

// A Mark is what a server keeps of a resource.
type Mark struct {
	fencing.Watermark

	// Begun is true from when the one write of the highest token begins until it
	// has ended well.
	Begun bool
}

// admit is the mark with which what a request asks for may begin.
func (m Mark) admit(ask Ask) (Mark, error) {
	admit := m.Admit
	if ask.Once {
		admit = m.AdmitOnce
	}
	next, err := admit(ask.Token)
	switch {
	case err != nil && ask.Token == m.Highest && m.Begun:
		return m, ErrUnfinished
	case err != nil:
		return m, err
	case next == m.Watermark:
		return m, nil
	}
	return Mark{next, ask.Once}, nil
}

// begun is behind the token in a mark's text.
const begun = " begun"

// MarshalText is a line: the token, and begun where that is so.
func (m Mark) MarshalText() ([]byte, error) {
	text, err := m.Highest.MarshalText()
	if m.Begun {
		text = append(text, begun...)
	}
	return append(text, '\n'), err
}

// UnmarshalText reads what MarshalText gave.
func (m *Mark) UnmarshalText(text []byte) error {
	token, found := strings.CutSuffix(strings.TrimSuffix(string(text), "\n"), begun)
	highest, err := fencing.Parse(token)
	if err != nil {
		return fmt.Errorf("read a watermark: %v", err) // it is not the request's token that is wrong
	}
	*m = Mark{fencing.Watermark{Highest: highest}, found}
	return nil
}

// A Store keeps marks by the names of resources.
type Store interface {
	// Hold waits until a resource is the caller's alone, until the context ends,
	// whose error it then is.
	Hold(ctx context.Context, name string) (Held, error)
}

// Held is a resource that is the caller's alone.
type Held interface {
	// Mark is the resource's, and the zero Mark where none was saved.
	Mark() Mark

	// Save has the mark kept, whatever fails, when it returns.
	Save(ctx context.Context, m Mark) error

	// Release ends the hold. It is called once.
	Release()
}

// Files is a store in a directory, which it makes. Several processes on one host
// may use it at once, as they do when one takes over from another: it locks files.
//
// Of each resource there is a file, named as the resource is, with all but letters,
// digits, - and _ written %XX. It holds the token, as text. When the etcd cluster was
// rebuilt, tokens of the new one are refused with [fencing.ErrCluster] until an
// operator says that they are good: while no server runs, write 1@ and the new
// cluster's id into the file, as a line.
func Files(dir string) (Store, error) {
	files, err := durable.Open(dir)
	if err != nil {
		return nil, fmt.Errorf("open the watermarks: %w", err)
	}
	return store(files.Hold), nil
}

// Memory is a store for tests: it forgets when the process ends.
func Memory() Store { return store(new(durable.Memory).Hold) }

// A store reads and writes marks as text.
type store func(ctx context.Context, name string) (*durable.Held, error)

func (s store) Hold(ctx context.Context, name string) (Held, error) {
	file, err := s(ctx, name)
	if err != nil {
		return nil, err
	}
	h := &held{Held: file}
	if file.Data == nil {
		return h, nil
	}
	if err := h.mark.UnmarshalText(file.Data); err != nil { // one that was emptied is none, too
		file.Release()
		return nil, fmt.Errorf("%w: that of %q was not written by this package", err, name)
	}
	return h, nil
}

type held struct {
	*durable.Held
	mark Mark
}

func (h *held) Mark() Mark { return h.mark }

func (h *held) Save(_ context.Context, m Mark) error {
	text, err := m.MarshalText()
	if err == nil {
		err = h.Held.Save(text)
	}
	if err != nil {
		return fmt.Errorf("save a watermark: %w", err)
	}
	h.mark = m
	return nil
}
