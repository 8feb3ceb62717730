package app

import (
	"context"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/domain/wait"
)

// SignalChannelIn names a channel.
type SignalChannelIn struct {
	Channel string `json:"channel" jsonschema:"any name, at most 128 bytes, literal"`
}

// SignalChannelOut says that tmux took the signal.
type SignalChannelOut struct {
	Generation string `json:"generation"`
	Channel    string `json:"channel"`
}

// SignalChannel signals a channel. Whether somebody waited tmux does not tell.
func (a *App) SignalChannel(ctx context.Context, in SignalChannelIn) (SignalChannelOut, error) {
	ctx, err := a.admit(ctx, "signal_channel")
	if err != nil {
		return SignalChannelOut{}, err
	}
	server, err := a.channelServer(ctx, in.Channel)
	if err != nil {
		return SignalChannelOut{}, err
	}
	if err := a.Channels.Signal(ctx, server, in.Channel); err != nil {
		return SignalChannelOut{}, err
	}
	return SignalChannelOut{Generation: string(server.Generation), Channel: in.Channel}, nil
}

// WaitForChannelIn says what to wait for.
type WaitForChannelIn struct {
	Channel string   `json:"channel" jsonschema:"any name, at most 128 bytes, literal"`
	Timeout *float64 `json:"timeout,omitempty" min:"0" jsonschema:"seconds, 30 by default, at most 120; 0 takes a signal that was kept, if there is one"`
}

// WaitForChannelOut is how the wait ended.
type WaitForChannelOut struct {
	Generation       string  `json:"generation"`
	Channel          string  `json:"channel"`
	Outcome          string  `json:"outcome" enum:"signalled,timed_out,server_gone" jsonschema:"timed_out: wait again; a signal in between is kept for that"`
	Latched          *bool   `json:"latched,omitempty" jsonschema:"of a signal: it was sent before this wait began, and kept"`
	EffectiveTimeout float64 `json:"effective_timeout" jsonschema:"seconds"`
	TimeoutClamped   bool    `json:"timeout_clamped,omitempty" jsonschema:"more was asked for"`
}

// WaitForChannel waits for a signal on a channel.
func (a *App) WaitForChannel(ctx context.Context, in WaitForChannelIn) (WaitForChannelOut, error) {
	ctx, err := a.admit(ctx, "wait_for_channel")
	if err != nil {
		return WaitForChannelOut{}, err
	}
	deadline, err := wait.Within(in.Timeout, wait.Default)
	if err != nil {
		return WaitForChannelOut{}, err
	}
	entering, cancel := context.WithTimeout(ctx, a.options.CallTimeout)
	defer cancel()
	server, err := a.channelServer(entering, in.Channel)
	if err != nil {
		return WaitForChannelOut{}, err
	}
	out := WaitForChannelOut{
		Generation: string(server.Generation), Channel: in.Channel,
		EffectiveTimeout: deadline.Timeout.Seconds(), TimeoutClamped: deadline.Clamped,
	}
	waiting, cancel := context.WithTimeout(ctx, deadline.Timeout+a.options.CallTimeout)
	defer cancel()
	signal, err := a.Channels.Wait(waiting, server, in.Channel, deadline.Timeout)
	switch {
	case err != nil && ctx.Err() != nil:
		return WaitForChannelOut{}, asFault(ctx.Err(), "wait for a signal")
	case fault.Is(err, fault.ServerGone), fault.Is(err, fault.StaleTarget):
		out.Outcome = string(wait.ServerGone)
	case err != nil:
		return WaitForChannelOut{}, err
	case signal.Came:
		out.Outcome, out.Latched = string(wait.Signalled), &signal.Early
	default:
		out.Outcome = string(wait.TimedOut)
	}
	return out, nil
}

// channelServer checks the name of a channel and finds the server, which must run.
func (a *App) channelServer(ctx context.Context, channel string) (tmux.Server, error) {
	if err := tmux.CheckChannel(channel); err != nil {
		return tmux.Server{}, fault.Invalidf("pass a name of 1 to 128 bytes without control characters", "%v", err)
	}
	t, err := a.topology(ctx, tmux.DetailBrief)
	if err == nil && !t.Running {
		err = &fault.Error{Kind: fault.ServerGone, Message: "no tmux server is running at the socket"}
	}
	return t.Server, err
}
