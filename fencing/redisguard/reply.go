package redisguard

import (
	"fmt"

	"lockside/fencing"
)

// judge is the error that the script's reply stands for.
func (g *Guard) judge(reply any, t fencing.Token) error {
	switch words := texts(reply); {
	case len(words) == 1 && words[0] == "ok":
		return nil
	case len(words) == 1 && words[0] == "spent":
		return &fencing.SpentError{Token: t}
	case len(words) == 1 && words[0] == "token":
		return fmt.Errorf("%w: fence.lua refuses %v", fencing.ErrToken, t)
	case len(words) == 2 && words[0] == "stale":
		highest, err := g.seen(words[1], t.Cluster.String())
		if err != nil {
			return err
		}
		return &fencing.StaleError{Token: t, Highest: highest}
	case len(words) == 3 && words[0] == "cluster":
		highest, err := g.seen(words[1], words[2])
		if err != nil {
			return err
		}
		return &fencing.ClusterError{Token: t, Highest: highest}
	}
	return fmt.Errorf("fence.lua returned %v, which it never does: see what Eval returns", reply)
}

// seen is a watermark, whose fence is 0 where it was set by hand.
func (g *Guard) seen(fence, cluster string) (fencing.Token, error) {
	var t fencing.Token
	id, err := fencing.ParseCluster(cluster)
	if err == nil && fence != "0" {
		t, err = fencing.Parse(fence)
	}
	if err != nil { // not wrapped: it is not the caller's token that is none
		return t, fmt.Errorf("%s is no watermark: %v", g.key, err)
	}
	t.Cluster = id
	return t, nil
}

// texts are the elements of an array, in any of the forms that clients give it;
// nil for what is none.
func texts(reply any) []string {
	switch reply := reply.(type) {
	case []string:
		return reply
	case []any:
		all := make([]string, len(reply))
		for i, word := range reply {
			switch word := word.(type) {
			case string:
				all[i] = word
			case []byte:
				all[i] = string(word)
			default:
				return nil
			}
		}
		return all
	}
	return nil
}
