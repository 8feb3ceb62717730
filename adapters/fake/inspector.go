package fake

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

var _ ports.Inspector = (*World)(nil)

// inspect runs an operation about an entity, which must exist, or about the server.
func (w *World) inspect(ctx context.Context, op string, known tmux.Server, target string, read func(s *server)) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.contact(ctx, op); err != nil {
		return err
	}
	if err := w.same(known, op, target); err != nil {
		return err
	}
	if target != "" {
		if err := w.targeted(ctx, op, known, target); err != nil {
			return err
		}
	}
	read(w.server)
	return nil
}

// Variables implements [ports.Inspector]. The fake knows a few of tmux's variables; the others do not apply.
func (w *World) Variables(ctx context.Context, known tmux.Server, id tmux.PaneID, names []string) (map[string]string, error) {
	values := map[string]string{}
	err := w.inspect(ctx, "read variables", known, string(id), func(s *server) {
		all := map[string]string{
			"pid": strconv.Itoa(s.id.PID), "start_time": strconv.FormatInt(s.id.StartTime.Unix(), 10), "version": string(s.id.Version),
			"socket_path": s.id.SocketPath,
		}
		levels := []options{s.options}
		if pane := s.pane(id); pane != nil {
			links := s.linksOf(pane.window)
			session := s.session(links[0].Session)
			maps.Copy(all, map[string]string{
				"pane_id": string(pane.id), "pane_pid": strconv.Itoa(pane.pid), "pane_title": pane.title, "pane_index": strconv.Itoa(pane.index()),
				"window_id": string(pane.window.id), "window_name": pane.window.name, "window_index": strconv.Itoa(links[0].Index),
				"session_id": string(session.id), "session_name": session.name, "pane_current_path": pane.path,
				"history_size": strconv.Itoa(pane.grid.history()),
			})
			levels = []options{pane.options, pane.window.options, session.options, s.options}
		}
		for _, name := range names {
			values[name] = all[name]
			if tmux.IsUserOption(name) {
				values[name] = inherit(name, "", levels...)
			}
		}
	})
	return values, err
}

// Options implements [ports.Inspector]. The fake knows the options that were set.
func (w *World) Options(ctx context.Context, known tmux.Server, request ports.Options) ([]ports.Option, error) {
	var found []ports.Option
	err := w.inspect(ctx, "read options", known, request.Target, func(s *server) {
		for i, level := range s.levels(request.Target) {
			for _, name := range slices.Sorted(maps.Keys(level)) {
				wanted := request.Name == "" || request.Name == name
				if wanted && !hookName.MatchString(name) && !slices.ContainsFunc(found, func(o ports.Option) bool { return o.Name == name }) {
					found = append(found, ports.Option{Name: name, Value: quoted(level[name]), Inherited: i > 0})
				}
			}
		}
	})
	return found, err
}

// quoted is how tmux writes a value. Source: tmux's args_escape.
func quoted(value string) string {
	if value == "" {
		return "''"
	}
	if strings.ContainsAny(value, " #';${}%\"\\") {
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, `$`, `\$`).Replace(value) + `"`
	}
	return value
}

// levels are the options of an entity and those above it, the nearest first.
func (s *server) levels(target string) []options {
	found := []options{s.options}
	if target == "" {
		return found
	}
	switch target[0] {
	case tmux.PaneSigil:
		pane := s.pane(tmux.PaneID(target))
		return []options{pane.options, pane.window.options, s.options}
	}
	return []options{s.level(target), s.options}
}

// hookName is a name of a hook, with or without the index of a command.
var hookName = regexp.MustCompile(`^((?:after|alert|client|pane|session|window)-[a-z-]+)(?:\[(\d+)\])?$`)

// Hooks implements [ports.Inspector].
func (w *World) Hooks(ctx context.Context, known tmux.Server, target string) ([]ports.Hook, error) {
	var found []ports.Hook
	err := w.inspect(ctx, "read hooks", known, target, func(s *server) {
		for level, set := range s.hookLevels(target) {
			for _, name := range slices.Sorted(maps.Keys(set)) {
				if m := hookName.FindStringSubmatch(name); m != nil {
					index, _ := strconv.Atoi(m[2]) // 0 without one
					found = append(found, ports.Hook{Name: m[1], Index: index, Command: set[name], Level: level})
				}
			}
		}
	})
	return found, err
}

// hookLevels are the levels that count for a target, the nearest first.
func (s *server) hookLevels(target string) func(yield func(ports.HookLevel, options) bool) {
	return func(yield func(ports.HookLevel, options) bool) {
		var in *window
		session := s.session(tmux.SessionID(target))
		if pane := s.pane(tmux.PaneID(target)); pane != nil {
			in = pane.window
			if !yield(ports.PaneHook, pane.options) {
				return
			}
		}
		if window := s.window(tmux.WindowID(target)); window != nil {
			in = window
		}
		if in != nil {
			session = s.session(s.linksOf(in)[0].Session)
			if !yield(ports.WindowHook, in.options) {
				return
			}
		}
		if session != nil && !yield(ports.SessionHook, session.options) {
			return
		}
		yield(ports.GlobalHook, s.options)
	}
}

// Environment implements [ports.Inspector]. The fake has what SetEnvironment and NewSession set.
func (w *World) Environment(ctx context.Context, known tmux.Server, id tmux.SessionID) ([]ports.Variable, error) {
	var found []ports.Variable
	err := w.inspect(ctx, "read the environment", known, string(id), func(s *server) {
		for _, name := range slices.Sorted(maps.Keys(s.environment[id])) {
			found = append(found, ports.Variable{Name: name, Value: s.environment[id][name]})
		}
	})
	return found, err
}

// SetEnvironment sets a variable of a session, or of all if it is empty.
func (w *World) SetEnvironment(id tmux.SessionID, name, value string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running().setEnvironment(id, name, value)
}

func (s *server) setEnvironment(id tmux.SessionID, name, value string) {
	if s.environment == nil {
		s.environment = map[tmux.SessionID]map[string]string{}
	}
	if s.environment[id] == nil {
		s.environment[id] = map[string]string{}
	}
	s.environment[id][name] = value
}
