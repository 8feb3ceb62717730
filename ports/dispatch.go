package ports

import "context"

// A Dispatch is how what a call sent got to tmux, as far as it can be told.
type Dispatch struct {
	// ClientExitStatus is that of the tmux client that carried it, the greatest of several; nil if no client was started and ended for
	// it, because one that stays attached carried it.
	ClientExitStatus *int
}

type dispatchKey struct{}

// WithDispatch has the operations of ports under a context tell how what they sent got to tmux. They write into the dispatch, which
// belongs to one goroutine, before they return.
func WithDispatch(ctx context.Context, into *Dispatch) context.Context {
	return context.WithValue(ctx, dispatchKey{}, into)
}

// ClientEnded notes the exit status of a client that carried something, if anybody wants to know.
func ClientEnded(ctx context.Context, status int) {
	if into, ok := ctx.Value(dispatchKey{}).(*Dispatch); ok && (into.ClientExitStatus == nil || *into.ClientExitStatus < status) {
		into.ClientExitStatus = &status
	}
}
