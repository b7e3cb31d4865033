package problem

import (
	"errors"
	"log/slog"
	"net/http"

	"github.com/winnow-proxy/winnow/model"
)

// Contain answers a panic of next with a problem, where net/http would close the connection without a word.
func Contain(next http.Handler, log *slog.Logger) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		err := model.Contain(func() error { next.ServeHTTP(w, r); return nil })
		p := (*model.PanicError)(nil)
		if !errors.As(err, &p) {
			return
		}
		if p.Value == http.ErrAbortHandler { //nolint:errorlint // a panic value, never wrapped
			panic(p.Value)
		}
		// If the answer has begun, this ends it with something that is no JSON, so that no client takes it for whole.
		OfPanic(p, log.With("path", r.URL.Path)).Write(w)
	})
}

// OfPanic logs a panic and returns the problem to answer with.
func OfPanic(p *model.PanicError, log *slog.Logger) Document {
	log.Error("panic contained", "panic", p, "stack", string(p.Stack))
	return Document{Status: http.StatusInternalServerError, Detail: "something went wrong inside winnow; its log says what"}
}
