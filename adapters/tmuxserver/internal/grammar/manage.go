package grammar

import (
	"strconv"

	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// InFront is the condition that something exists in a life of a server, and that this is in front of its window.
func InFront(server tmux.Server, target string, front ports.Front) Condition {
	c := Exists(server, target)
	c.Format += ";#{?pane_id,#{P:#{?pane_active,#{pane_id},}}#{window_zoomed_flag},}" // a loop over what does not exist ends the whole expansion
	c.Want += ";" + string(front.Active) + boolean(front.Zoomed)
	return c
}

// Alive is the condition that this life of a server goes on.
func Alive(server tmux.Server) Condition { return Condition{Format: lifeFormat, Want: life(server)} }

// Inactive is the condition that a pane exists in a life of a server and is not the active one of its window.
func Inactive(server tmux.Server, pane tmux.PaneID) Condition {
	c := Exists(server, string(pane))
	c.Format += ";#{pane_active}"
	c.Want += ";0"
	return c
}

// Rename names a session or a window, or gives a pane its title.
func Rename(request ports.SetName) []string {
	switch request.Target[0] {
	case tmux.SessionSigil:
		return []string{"rename-session", "-t", request.Target, "--", Literal(request.Name)}
	case tmux.WindowSigil:
		return RenameWindow(tmux.WindowID(request.Target), request.Name)
	}
	return []string{"select-pane", "-t", request.Target, "-T", Literal(request.Name)}
}

// Select brings a pane, a window or both in front.
func Select[C ~[]string](request ports.Select) (commands []C) {
	if request.Session != "" {
		commands = append(commands, C{"select-window", "-t", string(request.Session) + ":" + string(request.Window)})
	}
	if request.Pane != "" {
		commands = append(commands, C{"select-pane", "-t", string(request.Pane)})
	}
	return commands
}

// Arrange lays a window out. The zoom, which ends by that, is begun again.
func Arrange[C ~[]string](request ports.Arrange) []C {
	return zoomedAgain([]C{{"select-layout", "-t", string(request.Window), request.Layout}}, request.Front)
}

// SetSize resizes a window or a pane, or zooms.
func SetSize[C ~[]string](request ports.SetSize) []C {
	toggle := C{"resize-pane", "-Z", "-t", request.Target}
	zoomed := request.Front.Zoomed && string(request.Front.Active) == request.Target
	switch {
	case request.Zoom != nil && *request.Zoom == zoomed:
		return nil
	case request.Zoom != nil && *request.Zoom && request.Front.Zoomed:
		return []C{toggle, toggle} // the first ends the zoom of another pane
	case request.Zoom != nil:
		return []C{toggle}
	case request.Target[0] == tmux.WindowSigil:
		return []C{ResizeWindow(tmux.WindowID(request.Target), request.Width, request.Height)}
	}
	resize := option(option([]string{"resize-pane", "-t", request.Target}, "-x", cells(request.Width)), "-y", cells(request.Height))
	return zoomedAgain([]C{resize}, request.Front)
}

func zoomedAgain[C ~[]string](commands []C, front ports.Front) []C {
	if front.Zoomed {
		commands = append(commands, C{"resize-pane", "-Z", "-t", string(front.Active)})
	}
	return commands
}

// Move moves a window.
func Move(request ports.Move) []string {
	place := string(request.To) + ":"
	if request.Index != nil {
		place += strconv.Itoa(*request.Index)
	}
	argv := []string{"move-window", "-s", string(request.From) + ":" + string(request.Window), "-t", place}
	if !request.Current {
		argv = append(argv, "-d")
	}
	return argv
}

// Swap swaps two panes. If the first is the active one of the window of both, it stays it; the second would not.
func Swap(pane, other tmux.PaneID) []string {
	return []string{"swap-pane", "-d", "-Z", "-s", string(pane), "-t", string(other)}
}

// SetOption sets an option, and ShowOption prints the value that is set there.
func SetOption(request ports.Configure) []string {
	return append(append([]string{"set-option"}, optionLevel(request)...), "--", request.Name, request.Value)
}

// ShowOption prints the value of an option at the level of a request.
func ShowOption(request ports.Configure) []string {
	return append(append([]string{"show-options", "-v"}, optionLevel(request)...), "--", request.Name)
}

// optionLevel are the flags of a level. Globally, window options have a level of their own.
func optionLevel(request ports.Configure) []string {
	switch {
	case request.Target == "" && (request.Name == "remain-on-exit" || request.Name == "monitor-activity"):
		return []string{"-g", "-w"}
	case request.Target == "":
		return []string{"-g"}
	case request.Target[0] == tmux.PaneSigil:
		return []string{"-p", "-t", request.Target}
	case request.Target[0] == tmux.WindowSigil:
		return []string{"-w", "-t", request.Target}
	}
	return []string{"-t", request.Target}
}
