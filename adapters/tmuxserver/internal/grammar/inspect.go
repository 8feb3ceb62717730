package grammar

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/samber/lo"

	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// VariablesTable describes format variables by name.
func VariablesTable(names []string) Table[map[string]string] {
	return lo.Map(names, func(variable string, _ int) column[map[string]string] {
		set := func(row *map[string]string, v string) {
			if *row == nil {
				*row = map[string]string{}
			}
			(*row)[variable] = v
		}
		switch variable {
		case "session_name", "session_group", "window_name", "client_session":
			return name(variable, set)
		case "pane_title":
			return title(variable, set)
		}
		return text(variable, set)
	})
}

// ShowOptions lists options.
func ShowOptions(request ports.Options) []string {
	argv := []string{"show-options"}
	switch request.Scope {
	case ports.ServerOptions:
		argv = append(argv, "-s")
	case ports.WindowOptions:
		argv = append(argv, "-w")
	case ports.PaneOptions:
		argv = append(argv, "-p")
	case ports.SessionOptions:
	}
	switch {
	case request.Target != "":
		argv = append(argv, "-A", "-t", request.Target)
	case request.Scope != ports.ServerOptions:
		argv = append(argv, "-g")
	}
	if request.Name != "" {
		argv = append(argv, "--", request.Name)
	}
	return argv
}

// optionLine is a line of show-options: what is inherited has an asterisk, and an empty array no value.
var optionLine = regexp.MustCompile(`(?m)^(@?[A-Za-z0-9_-]+(?:\[\d+\])?)(\*?)(?: (.*))?$`)

// ParseOptions reads the answer to ShowOptions.
func ParseOptions(output string) []ports.Option {
	return lo.Map(optionLine.FindAllStringSubmatch(output, -1), func(m []string, _ int) ports.Option {
		return ports.Option{Name: m[1], Value: m[3], Inherited: m[2] != ""}
	})
}

// A HookQuery is a command that lists the hooks of a level.
type HookQuery struct {
	Level   ports.HookLevel
	Command []string
}

// ShowHooks are the queries for all levels that count for a target.
func ShowHooks(target string) []HookQuery {
	var queries []HookQuery
	add := func(level ports.HookLevel, flags ...string) {
		queries = append(queries, HookQuery{level, append([]string{"show-hooks"}, flags...)})
	}
	if target != "" {
		switch target[0] {
		case tmux.PaneSigil:
			add(ports.PaneHook, "-p", "-t", target)
			add(ports.WindowHook, "-w", "-t", target)
		case tmux.WindowSigil:
			add(ports.WindowHook, "-w", "-t", target)
		}
		add(ports.SessionHook, "-t", lo.Ternary(target[0] == tmux.SessionSigil, target+":", target))
	}
	add(ports.GlobalHook, "-g")
	add(ports.GlobalHook, "-g", "-w")
	return queries
}

// hookLine is a line of show-hooks: one command. Hooks that are not set stand there without an index.
var hookLine = regexp.MustCompile(`(?m)^([a-z-]+)\[(\d+)\] (.*)$`)

// ParseHooks reads the answer to one query.
func ParseHooks(level ports.HookLevel, output string) []ports.Hook {
	return lo.Map(hookLine.FindAllStringSubmatch(output, -1), func(m []string, _ int) ports.Hook {
		index, _ := strconv.Atoi(m[2])
		return ports.Hook{Name: m[1], Index: index, Command: m[3], Level: level}
	})
}

// ShowEnvironment lists an environment as commands for a shell, which is exact also for values of several lines.
func ShowEnvironment(session tmux.SessionID) []string {
	if session == "" {
		return []string{"show-environment", "-s", "-g"}
	}
	return []string{"show-environment", "-s", "-t", string(session) + ":"}
}

// variable is one variable of show-environment -s.
var variable = regexp.MustCompile(`(?s)\A(?:unset (\S+);\n|([^=\n]+)="((?:[^"\\]|\\.)*)"; export \S+;\n)`)

// ParseEnvironment reads the answer to ShowEnvironment.
func ParseEnvironment(output string, version tmux.Version) ([]ports.Variable, error) {
	var variables []ports.Variable
	for rest := output; rest != ""; {
		m := variable.FindStringSubmatch(rest)
		if m == nil {
			return nil, decodeFault("a variable of tmux's answer cannot be read: "+strconv.Quote(strings.ToValidUTF8(rest[:min(len(rest), 40)], "?")), nil)
		}
		rest = rest[len(m[0]):]
		variables = append(variables, ports.Variable{Name: m[1] + m[2], Value: decodeText(m[3], version), Removed: m[1] != ""})
	}
	return variables, nil
}
