package servers

import (
	"context"
	"fmt"
	"io"
	"net"
	"strings"
)

// askAll sends a request and returns all that is answered until end-of-file.
func askAll(ctx context.Context, address, request string) (string, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	if until, ok := ctx.Deadline(); ok {
		if err := conn.SetDeadline(until); err != nil {
			return "", err
		}
	}
	if _, err := io.WriteString(conn, request); err != nil {
		return "", err
	}
	text, err := io.ReadAll(conn)
	return string(text), err
}

// ask holds that the answer begins as expected.
func ask(ctx context.Context, address, request, want string) error {
	text, err := askAll(ctx, address, request)
	if err != nil {
		return err
	}
	if !strings.HasPrefix(text, want) {
		return fmt.Errorf("it answers %q", text)
	}
	return nil
}
