package control

import "context"

// Rhythm is a rhythm, for its test.
type Rhythm struct{ rhythm }

// Await is await.
func (r *Rhythm) Await(ctx context.Context, wake <-chan struct{}) bool { return r.await(ctx, wake) }

// Looked is looked.
func (r *Rhythm) Looked(reason, late bool) { r.looked(reason, late) }
