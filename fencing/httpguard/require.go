package httpguard

import "net/http"

// Require lets only writes with a fencing token reach a handler, whose requests
// have it in their context ([FromContext]). The handler has to check it, in the
// transaction in which it writes; [Do] and [Refuse] are for that. Claims reach it
// too. Safe methods need no token, and one that they have must be right.
func Require(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if isSafe(r.Method) && !asks(r) {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Add("Vary", FenceHeader)
		ask, err := readAsk(r)
		if err != nil {
			Refuse(w, err)
			return
		}
		w.Header().Set(FenceHeader, ask.Token.String())
		next.ServeHTTP(w, r.WithContext(withAsk(r.Context(), ask)))
	})
}

// asks reports whether a request has any of the headers.
func asks(r *http.Request) bool {
	for _, header := range []string{FenceHeader, ClaimHeader, OnceHeader} {
		if len(r.Header.Values(header)) > 0 {
			return true
		}
	}
	return false
}
