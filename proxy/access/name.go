package access

import "context"

// nameKey is the context key of a client's name.
type nameKey struct{}

// WithName says in whose name a request comes: those of one name share what one client may have, and count as one where
// clients are counted. Without a name, all are one.
func WithName(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, nameKey{}, name)
}

// NameOf returns the name that WithName has put into ctx, empty where there is none.
func NameOf(ctx context.Context) string {
	name, _ := ctx.Value(nameKey{}).(string)
	return name
}
