package config

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// readFile takes the settings of a YAML file: one mapping of plain values and,
// for lists, sequences of them. An empty path is no file.
func (l *loader) readFile(path string) {
	if path == "" {
		return
	}
	data, err := os.ReadFile(path)
	if err != nil {
		l.problems = append(l.problems, fmt.Errorf("read config: %w", err))
		return
	}
	root, err := document(data)
	if err != nil {
		l.failYAML(path, err)
		return
	}
	l.readMapping(path, root)
}

// document is the top of the only document in data, nil if there is none.
func document(data []byte) (*yaml.Node, error) {
	loader, err := yaml.NewLoader(bytes.NewReader(data), yaml.WithV4Defaults())
	if err != nil {
		return nil, err
	}
	var first, second yaml.Node
	switch err := loader.Load(&first); {
	case errors.Is(err, io.EOF):
		return nil, nil
	case err != nil:
		return nil, err
	}
	switch err := loader.Load(&second); {
	case err == nil:
		return nil, errors.New("want one document, without a --- in it")
	case !errors.Is(err, io.EOF):
		return nil, err
	}
	return first.Content[0], nil
}

// failYAML reports text that is no YAML, with the line where what is wrong
// begins, if it is known.
func (l *loader) failYAML(path string, err error) {
	where := path
	if e, ok := errors.AsType[*yaml.LoadError](err); ok {
		where = fmt.Sprintf("%s:%d", path, cmp.Or(e.ContextMark.Line, e.Mark.Line))
		err = errors.New(e.Message)
	}
	l.fail(where, "", err)
}

func (l *loader) readMapping(path string, root *yaml.Node) {
	if root == nil {
		return
	}
	if root.Kind != yaml.MappingNode {
		l.fail(fmt.Sprintf("%s:%d", path, root.Line), "", errors.New("want lines of the form KEY: VALUE"))
		return
	}
	lines := make(map[string]int)
	for pair := range slices.Chunk(root.Content, 2) {
		key, node := pair[0], pair[1]
		where := fmt.Sprintf("%s:%d: %s", path, key.Line, key.Value)
		if first, twice := lines[key.Value]; twice {
			l.fail(where, "", fmt.Errorf("given in line %d already; keep one", first))
			continue
		}
		lines[key.Value] = key.Line
		l.readNode(key.Value, where, node)
	}
}

func (l *loader) readNode(key, where string, node *yaml.Node) {
	o, known := l.option(key)
	_, isList := o.value.(*list)
	switch {
	case !known:
		l.set(key, where, "")
	case node.Kind == yaml.ScalarNode && node.Tag != "!!null":
		l.set(key, where, node.Value)
	case node.Kind == yaml.SequenceNode && isList:
		l.set(key, where, strings.Join(values(node), ","))
	case isList:
		l.fail(where, "", errors.New("want one value or a sequence of them"))
	default:
		l.fail(where, "", errors.New("want one plain value"))
	}
}

// values is the texts of a sequence. What is no plain value is an empty text,
// which no list accepts.
func values(sequence *yaml.Node) []string {
	texts := make([]string, len(sequence.Content))
	for i, node := range sequence.Content {
		if node.Kind == yaml.ScalarNode {
			texts[i] = node.Value
		}
	}
	return texts
}
