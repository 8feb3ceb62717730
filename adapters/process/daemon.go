package process

import (
	"context"
	"errors"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// A daemon is a tmux server that is held for those who hold processes of its panes.
type daemon struct {
	of     *Identity
	server tmux.Server
	handle *handle
	pulse  *pulse
	users  int // with Identity.mu
}

// join holds a server, or shares the hold on it.
func (i *Identity) join(ctx context.Context, server tmux.Server) (*daemon, error) {
	if ctx.Err() != nil {
		return nil, ended(ctx)
	}
	if !server.Version.AtLeast(oldestTracked) {
		return nil, lacks(ports.LackTmux, "tmux %s is too old to hold the processes of its panes: that needs tmux %s or newer", server.Version, oldestTracked)
	}
	if d := i.shared(server.Generation, nil); d != nil {
		return d, nil
	}
	opened := &daemon{of: i, server: server, pulse: newPulse(&i.work, func(ctx context.Context) error {
		_, err := i.tmux.Variables(ctx, server, "", []string{"pid"})
		return err
	})}
	var err error
	if opened.handle, err = openListener(ctx, server.SocketPath, server.PID); err != nil {
		defer opened.pulse.close()
		return nil, opened.failed(ctx, err)
	}
	d := i.shared(server.Generation, opened)
	if d != opened { // somebody else was faster
		opened.close()
	}
	return d, nil
}

// shared is the daemon of a generation, with one user more: the one that is held, or else the one that was opened.
func (i *Identity) shared(of tmux.Generation, opened *daemon) *daemon {
	i.mu.Lock()
	defer i.mu.Unlock()
	d := i.daemons[of]
	if d == nil {
		if d = opened; d == nil {
			return nil
		}
		i.daemons[of] = d
	}
	d.users++
	return d
}

// leave gives the daemon up, and closes it with its last user.
func (d *daemon) leave() {
	d.of.mu.Lock()
	d.users--
	last := d.users == 0
	if last {
		delete(d.of.daemons, d.server.Generation)
	}
	d.of.mu.Unlock()
	if last {
		d.close()
	}
}

// lives asks the server whether it lives, which proves that it did after whatever was noticed before.
func (d *daemon) lives(ctx context.Context) error {
	return d.pulse.check(ctx)
}

func (d *daemon) close() {
	d.pulse.close()
	d.handle.close()
}

// failed makes a fault of what went wrong with the server's process: often it is just that the server ended.
func (d *daemon) failed(ctx context.Context, err error) error {
	if alive := d.lives(ctx); alive != nil {
		return alive
	}
	if missing, ok := errors.AsType[*lacking](err); ok {
		return missing
	}
	return &fault.Error{
		Kind: fault.TransportError, Op: "hold the server at", Target: d.server.SocketPath,
		Message: "the process of the tmux server at " + d.server.SocketPath + " cannot be held", Err: err,
	}
}
