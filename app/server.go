package app

import (
	"context"

	"github.com/samber/lo"

	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// GetServerInfoIn has no arguments.
type GetServerInfoIn struct{}

// GetServerInfoOut is the identity of the server and of this conversation in it.
type GetServerInfoOut struct {
	Server          string   `json:"server" enum:"running,absent" jsonschema:"absent: no tmux server runs at the socket; create_session starts one"`
	SocketPath      string   `json:"socket_path"`
	Version         string   `json:"version,omitempty" jsonschema:"of the running server"`
	PID             int      `json:"pid,omitempty"`
	StartTime       int64    `json:"start_time,omitempty" jsonschema:"epoch seconds"`
	Generation      string   `json:"generation,omitempty" jsonschema:"identity of this life of the server; ids count in it alone"`
	Sessions        int      `json:"sessions"`
	Windows         int      `json:"windows"`
	Panes           int      `json:"panes"`
	TerminalClients []string `json:"terminal_clients" jsonschema:"terminals through which people are attached"`
	CallerPaneID    string   `json:"caller_pane_id,omitempty" jsonschema:"the pane that this conversation runs in, if known"`
	CallerFound     string   `json:"caller_found" enum:"environment,ancestor,terminal,unknown" jsonschema:"how the caller's pane was found; unknown does not mean that there is none"`
	Backend         string   `json:"backend,omitempty" jsonschema:"how commands reach tmux"`
	Events          string   `json:"events,omitempty" enum:"control,polling" jsonschema:"how waits learn that something happened: control clients wake them; or they poll, woken by the kernel where it tells of output, and each 250 ms where it does not"`
	EventsReason    string   `json:"events_reason,omitempty" jsonschema:"why the newest wait polled"`
}

// GetServerInfo tells which server this is and where this conversation runs.
func (a *App) GetServerInfo(ctx context.Context, _ GetServerInfoIn) (GetServerInfoOut, error) {
	ctx, err := a.admit(ctx, "get_server_info")
	if err != nil {
		return GetServerInfoOut{}, err
	}
	t, err := a.topology(ctx, tmux.DetailBrief) // it shows no ids, so that it acknowledges none
	if err != nil {
		return GetServerInfoOut{}, err
	}
	events, why := a.eventSource()
	if !t.Running {
		return GetServerInfoOut{
			Server: "absent", SocketPath: a.options.SocketPath, TerminalClients: []string{}, CallerFound: "unknown", Backend: a.options.Backend,
			Events: events, EventsReason: why,
		}, nil
	}
	caller := a.Processes.Caller(ctx, t)
	terminals := lo.FilterMap(t.Clients, func(c tmux.Client, _ int) (string, bool) { return c.Name, !c.Control })
	return GetServerInfoOut{
		Server: "running", SocketPath: t.Server.SocketPath, Version: string(t.Server.Version), PID: t.Server.PID,
		StartTime: t.Server.StartTime.Unix(), Generation: string(t.Server.Generation),
		Sessions: len(t.Sessions), Windows: len(t.Windows), Panes: len(t.Panes), TerminalClients: terminals,
		CallerPaneID: string(caller.Pane), CallerFound: string(caller.How), Backend: a.options.Backend,
		Events: events, EventsReason: why,
	}, nil
}

// eventSource says how waits learn that something happened, and, if they poll, why.
func (a *App) eventSource() (how, why string) {
	if a.options.Polling == nil {
		return "", ""
	}
	if why = a.options.Polling(); why != "" {
		return "polling", why
	}
	return "control", ""
}
