package admin

import (
	"fmt"
	"net/http"
	"runtime/debug"
)

// contained answers and logs the panics of next, which asks models and stores of all kinds. net/http would close the
// connection without a word.
func (a *admin) contained(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			p := recover()
			if p == nil {
				return
			}
			if p == http.ErrAbortHandler { //nolint:errorlint // a panic value, never wrapped
				panic(p)
			}
			a.Logger.Error("panic contained", "where", "admin", "path", r.URL.Path, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			// Where the answer was begun, this goes nowhere but into it, and JSON that ends so is no JSON.
			fail(w, http.StatusInternalServerError, "something went wrong inside winnow; its log says what")
		}()
		next.ServeHTTP(w, r)
	})
}
