package fake

import (
	"strconv"
	"strings"
)

// Options are the values set at one level; what is not set there is inherited.
type options map[string]string

func (o options) get(name, fallback string) string {
	if value, ok := o[name]; ok {
		return value
	}
	return fallback
}

// inherit finds the value of the first level that has one.
func inherit(name, fallback string, levels ...options) string {
	for _, level := range levels {
		if value, ok := level[name]; ok {
			return value
		}
	}
	return fallback
}

// option is the effective value of a pane option: pane over window over global.
func (p *pane) option(name, fallback string) string {
	return inherit(name, fallback, p.options, p.window.options, p.world.server.options)
}

func (p *pane) synchronized() bool { return p.option("synchronize-panes", "off") == "on" }

// hooked reports whether a hook with this name is effective for the pane in a session, or, if that is nil, in any that has it. A hook is
// an array: any index counts. The nearest level replaces the others. Source: measured on tmux 3.2a to 3.7c.
func (p *pane) hooked(name string, in *session) bool {
	levels := []options{p.options, p.window.options}
	for _, session := range p.world.server.sessions {
		if (in == nil || in == session) && session.has(p.window) {
			levels = append(levels, session.options)
		}
	}
	for _, level := range append(levels, p.world.server.options) {
		set, any := false, false
		for option, value := range level {
			if base, _, _ := strings.Cut(option, "["); base == name {
				set = true
				any = any || value != ""
			}
		}
		if set {
			return any
		}
	}
	return false
}

// historyLimit is what a pane made now in the session would get.
func (w *World) historyLimit(in *window) int {
	levels := []options{}
	for _, session := range w.server.sessions {
		if session.has(in) {
			levels = append(levels, session.options)
		}
	}
	value := inherit("history-limit", "2000", append(levels, w.server.options)...)
	limit, err := strconv.Atoi(value)
	if err != nil {
		panic("fake: history-limit is no number: " + value) // SetOption refuses it
	}
	return limit
}
