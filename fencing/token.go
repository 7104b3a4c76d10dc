package fencing

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// A Token is the fencing token of one grant. The zero Token is none, and is
// refused by every guard.
type Token struct {
	// Cluster is the etcd cluster whose revisions the fences are; 0 where nobody
	// told. Holders of one resource must agree in telling it: a token without a
	// cluster does not compare to one with.
	Cluster Cluster

	// Fence is the create revision of the lock's entry in etcd, which is greater
	// than that of any grant of the same name before. It is positive.
	Fence int64
}

// A Cluster is the id of an etcd cluster, written in hexadecimal as etcd and
// lockside do.
type Cluster uint64

// String is the id in hexadecimal, and "" for none.
func (c Cluster) String() string {
	if c == 0 {
		return ""
	}
	return strconv.FormatUint(uint64(c), 16)
}

// ParseCluster reads what [Cluster.String] gave, and the cluster= of lockside's
// replies. Its error is [ErrToken].
func ParseCluster(text string) (Cluster, error) {
	if text == "" {
		return 0, nil
	}
	id, err := strconv.ParseUint(text, 16, 64)
	if err != nil || id == 0 || text != Cluster(id).String() {
		return 0, fmt.Errorf("%w: cluster %.40q is not a hexadecimal number", ErrToken, text)
	}
	return Cluster(id), nil
}

// Parse reads the text of a token: a positive decimal number, the fence= of a
// LOCK's reply or LOCKSIDE_FENCE of a command's environment; with @ and a
// cluster's id behind it where that is known. Its error is [ErrToken], and
// [ErrShared] for the id of a shared lock or a slot.
func Parse(text string) (Token, error) {
	number, cluster, found := strings.Cut(text, "@")
	if isShared(number) {
		return Token{}, fmt.Errorf("%w: %.40q", ErrShared, text)
	}
	fence, err := strconv.ParseInt(number, 10, 64)
	if err != nil || fence <= 0 || number != strconv.FormatInt(fence, 10) {
		return Token{}, fmt.Errorf("%w: %.40q is not a positive decimal number", ErrToken, text)
	}
	id, err := ParseCluster(cluster)
	if err != nil {
		return Token{}, err
	}
	if found && id == 0 {
		return Token{}, fmt.Errorf("%w: %.40q ends where a cluster's id is due", ErrToken, text)
	}
	return Token{Cluster: id, Fence: fence}, nil
}

// isShared tells the form of an id that several may hold beside one another: an s
// and a number.
func isShared(text string) bool {
	number, found := strings.CutPrefix(text, "s")
	_, err := strconv.ParseUint(number, 10, 64)
	return found && err == nil
}

// String is the token's text: "8123", or "8123@cdf818194e3a8c32" with a cluster.
func (t Token) String() string {
	text := strconv.FormatInt(t.Fence, 10)
	if t.Cluster != 0 {
		text += "@" + t.Cluster.String()
	}
	return text
}

// IsZero reports whether there is no token.
func (t Token) IsZero() bool { return t == Token{} }

// Compare is -1, 0 or 1 as t was granted before u, is u, or was granted after it.
// Its error is [ErrCluster] when they are of different clusters.
func (t Token) Compare(u Token) (int, error) {
	if t.Cluster != u.Cluster {
		return 0, &ClusterError{Token: t, Highest: u}
	}
	return cmp.Compare(t.Fence, u.Fence), nil
}

// Check is nil for a token that a guard may look at, and [ErrToken] for the zero
// Token and numbers that no etcd ever gave.
func (t Token) Check() error {
	if t.Fence <= 0 {
		return fmt.Errorf("%w: fence %d is not positive", ErrToken, t.Fence)
	}
	return nil
}
