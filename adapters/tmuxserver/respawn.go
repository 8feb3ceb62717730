package tmuxserver

import (
	"context"
	"fmt"
	"strings"

	"github.com/samber/lo"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver/internal/grammar"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

const opRespawn = "respawn"

// Respawn starts a pane's command again in one guarded list, which also reads the pane as it is then.
func (s *Server) Respawn(ctx context.Context, server tmux.Server, request ports.Respawn) (tmux.Pane, error) {
	if err := checkNew(ports.Start{}, request.Cwd); err != nil {
		return tmux.Pane{}, err
	}
	target := string(request.Pane)
	attached, err := s.unheard(ctx, server, request.Pane)
	if err != nil {
		return tmux.Pane{}, err
	}
	nonce, condition := grammar.NewNonce(), grammar.Respawn(server, request.Respawning, attached)
	table := grammar.PaneTable(tmux.DetailFull)
	result, err := s.changed(ctx, opRespawn, server, target, List{
		Guard:    (*Guard)(&condition),
		Commands: []Command{grammar.RespawnPane(request.Respawning, request.Cwd), grammar.Display(target, table.Format(nonce))},
	})
	if err != nil {
		return tmux.Pane{}, err
	}
	return one(table, nonce, result.Replies[1].Output, server.Version)
}

// unheard refuses a respawn by which this tmux could die, because a client is told what is written where the pane is seen. The answer
// is who is attached, which must stay so until the respawn; empty where it does not matter.
func (s *Server) unheard(ctx context.Context, server tmux.Server, pane tmux.PaneID) (attached string, err error) {
	if !grammar.RespawnLosesCount(server.Version) {
		return "", nil
	}
	nonce, condition := grammar.NewNonce(), grammar.Exists(server, string(pane))
	result, err := s.run(ctx, opRespawn, string(pane), List{Guard: (*Guard)(&condition), Commands: []Command{
		grammar.Places(nonce), {"list-clients", "-F", grammar.HearerTable.Format(nonce)}, grammar.Display(string(pane), grammar.AttachedFormat),
	}})
	if err != nil {
		return "", err
	}
	if !result.Passed {
		return "", missing(opRespawn, string(pane), result.Found, server)
	}
	places, err := grammar.PlaceTable.Parse(nonce, result.Replies[0].Output, server.Version)
	if err != nil {
		return "", err
	}
	clients, err := grammar.HearerTable.Parse(nonce, result.Replies[1].Output, server.Version)
	if err != nil {
		return "", err
	}
	hearer, heard := lo.Find(clients, func(h grammar.Hearer) bool {
		return h.Hears && lo.SomeBy(places, func(p grammar.Place) bool { return p.Pane == pane && p.Session == h.Session })
	})
	if !heard {
		return strings.TrimSuffix(result.Replies[2].Output, "\n"), nil
	}
	f := &fault.Error{
		Kind: fault.Unsupported, Op: opRespawn, Target: string(pane),
		Message: fmt.Sprintf("tmux %s can crash when it respawns a pane while a control-mode client is told what is written there, and process %d is one on session %s",
			server.Version, hearer.PID, hearer.Session),
		Recovery: "make a new pane (split_window, create_window) and end this one (kill_pane), or ask the person to detach that client",
	}
	if s.own(hearer.PID) {
		f.Recovery = "repeat when no wait for that session is under way, or make a new pane (split_window, create_window) and end this one (kill_pane)"
	}
	return "", f
}
