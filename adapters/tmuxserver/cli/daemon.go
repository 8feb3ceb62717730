package cli

import (
	"context"
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver/internal/grammar"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// ownerOption holds the nonce of the process that created a daemon.
const ownerOption = "@libtmux_mcp_owner"

// minimal configures a daemon that has no other configuration; kept keeps one alive that has no session.
const (
	minimal = "set-option -g status off\n"
	kept    = "set-option -s exit-empty off\n"
)

// Daemon makes sure that a server runs, one that lives without sessions. If this call created it, its generation is the
// answer: only the nonce that its configuration brought into it, read back together with its identity, proves that. It
// is empty if a server ran before. The configuration is Options.Config, or a minimal one. Of many that start at once, one
// creates the server. It holds nothing of this process open, and lives on.
func (c *Conn) Daemon(ctx context.Context) (created tmux.Generation, err error) {
	if c.options.Config != "" {
		if _, err := os.Stat(c.options.Config); err != nil {
			e := fault.Invalidf("name an existing tmux configuration", "the tmux configuration %s cannot be read", c.options.Config)
			e.Err = err
			return "", e
		}
	}
	nonce := rand.Text()
	configs, remove, err := c.daemonConfigs(nonce)
	if err != nil {
		return "", transport(fault.NotSent, "", "the configuration of the server could not be written", err)
	}
	defer remove()
	aligned := grammar.NewNonce()
	list := tmuxserver.List{Start: true, Commands: []tmuxserver.Command{
		{"start-server"},
		{"show-options", "-s", "-q", "-v", ownerOption},
		grammar.Display("", grammar.ServerTable.Format(aligned)),
	}}
	result, err := c.run(ctx, list, configs)
	if err != nil {
		return "", err
	}
	for _, reply := range result.Replies {
		if reply.State == tmuxserver.Failed {
			return "", grammar.CommandFault("start the server", c.socket, reply.Error)
		}
	}
	if strings.TrimSpace(result.Replies[1].Output) != nonce {
		return "", nil
	}
	servers, err := grammar.ServerTable.Parse(aligned, result.Replies[2].Output, "")
	if err != nil {
		return "", err
	}
	if len(servers) != 1 {
		return "", &fault.Error{Kind: fault.DecodeError, Message: "tmux did not say which server it is", Delivery: fault.Observed}
	}
	return tmux.NewGeneration(c.socket, servers[0].PID, servers[0].StartTime.Unix()), nil
}

// daemonConfigs writes what tmux reads before and after the configuration, in a directory that only this user can read.
func (c *Conn) daemonConfigs(nonce string) (configs []string, remove func(), err error) {
	dir, err := os.MkdirTemp("", "libtmux-mcp-")
	if err != nil {
		return nil, nil, err
	}
	remove = func() { _ = os.RemoveAll(dir) } // nothing in it outlives its use
	before, after := filepath.Join(dir, "before"), filepath.Join(dir, "after")
	first := "set-option -s " + ownerOption + " " + nonce + "\n"
	if c.options.Config == "" {
		first += minimal
	}
	for path, text := range map[string]string{before: first, after: kept} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			remove()
			return nil, nil, err
		}
	}
	if c.options.Config == "" {
		return []string{before, after}, remove, nil
	}
	return []string{before, c.options.Config, after}, remove, nil
}
