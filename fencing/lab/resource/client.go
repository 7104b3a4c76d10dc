package resource

import (
	"encoding/json"
	"fmt"
	"net"
)

// A Client is one connection, for one goroutine.
type Client struct {
	conn net.Conn
	in   *json.Decoder
	out  *json.Encoder
}

// Dial connects to the server at a path.
func Dial(path string) (*Client, error) {
	conn, err := net.Dial("unix", path)
	if err != nil {
		return nil, fmt.Errorf("connect to what the locks guard: %w", err)
	}
	return &Client{conn, json.NewDecoder(conn), json.NewEncoder(conn)}, nil
}

// Use reads or writes, and returns once that is done or refused.
func (c *Client) Use(u Use) (Answer, error) {
	var a Answer
	if err := c.out.Encode(u); err != nil {
		return a, fmt.Errorf("use what a lock guards: %w", err)
	}
	if err := c.in.Decode(&a); err != nil {
		return a, fmt.Errorf("use what a lock guards: %w", err)
	}
	return a, nil
}

// Close ends the connection.
func (c *Client) Close() error { return c.conn.Close() }
