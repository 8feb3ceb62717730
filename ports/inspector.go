package ports

import (
	"context"

	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// An Inspector reads settings and variables, and changes nothing. A target that does not exist is NotFound.
type Inspector interface {
	// Variables answers what tmux's format variables stand for, exactly, at one instant: of a pane with its window and session, or of
	// the server if the pane is empty. What this tmux does not know, and what does not apply, is empty.
	Variables(ctx context.Context, server tmux.Server, pane tmux.PaneID, names []string) (map[string]string, error)

	// Options answers the options of a level, those of the user's own too, in tmux's order.
	Options(ctx context.Context, server tmux.Server, request Options) ([]Option, error)

	// Hooks answers the hooks that are set: globally, and, given a target, at each level that counts for it.
	Hooks(ctx context.Context, server tmux.Server, target string) ([]Hook, error)

	// Environment answers the variables that new processes get: of a session, which come over the global ones, or the global
	// ones if it is empty. Every value is exact, whatever bytes but NUL it holds.
	Environment(ctx context.Context, server tmux.Server, session tmux.SessionID) ([]Variable, error)
}

// An OptionScope is a kind of options.
type OptionScope string

// The scopes.
const (
	ServerOptions  OptionScope = "server"
	SessionOptions OptionScope = "session"
	WindowOptions  OptionScope = "window"
	PaneOptions    OptionScope = "pane"
)

// An Options names options.
type Options struct {
	Scope  OptionScope
	Target string // of the scope's kind; empty: the global ones. Server options have none, pane options always one
	Name   string // one option, or one element of an array; empty: all. What is not set is no error
}

// An Option is an option as tmux writes it.
type Option struct {
	Name      string // with the index of an element of an array: "update-environment[0]"
	Value     string // quoted as in a configuration file, if it has to be
	Inherited bool   // it is set at a level above
}

// A Hook is one command of a hook.
type Hook struct {
	Name    string
	Index   int
	Command string // as tmux writes it
	Level   HookLevel
}

// A HookLevel says where a hook is set. The nearest level at which a hook is set replaces those above.
type HookLevel string

// The levels, the nearest first. Hooks of windows and panes have global ones of their own.
const (
	PaneHook    HookLevel = "pane"
	WindowHook  HookLevel = "window"
	SessionHook HookLevel = "session"
	GlobalHook  HookLevel = "global"
)

// A Variable is one of an environment.
type Variable struct {
	Name    string
	Value   string
	Removed bool // new processes do not get it, whatever the global one is
}
