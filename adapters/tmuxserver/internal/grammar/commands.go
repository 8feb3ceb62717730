package grammar

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"

	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// Display prints a format, of a target or of none.
func Display(target, format string) []string {
	if target == "" {
		return []string{"display-message", "-p", format}
	}
	return []string{"display-message", "-p", "-t", target, format}
}

// CaptureHook is the hook that runs after every capture.
const CaptureHook = "after-capture-pane"

// ShowCaptureHook prints the capture hook that is effective for a pane, as Seen or by its id alone.
func ShowCaptureHook(pane string) []string {
	return []string{"show-options", "-A", "-t", pane, CaptureHook}
}

// ShowCaptureHookOf prints the capture hook that is set for the session of a pane, as Seen or by its id alone, or else globally. There
// are no other levels: set-hook takes -w and -p, but sets this hook for the session.
func ShowCaptureHookOf(pane string, global bool) []string {
	if global {
		return []string{"show-options", "-g", CaptureHook}
	}
	return []string{"show-options", "-t", pane, CaptureHook}
}

// CaptureHooks are the elements of the hook that the answer to either names, such as "after-capture-pane[3]".
func CaptureHooks(output string) []string { return captureHook.FindAllString(output, -1) }

// HasCaptureHook reads the answer to either.
func HasCaptureHook(output string) bool { return captureHook.MatchString(output) }

// captureHook is one command of the hook; what another hook prints is none.
var captureHook = regexp.MustCompile(`(?m)^` + CaptureHook + `\[\d+\]`)

// Type sends text literally.
func Type(pane tmux.PaneID, text string) []string {
	return []string{"send-keys", "-l", "-t", string(pane), "--", text}
}

// Press sends keys by name.
func Press(pane tmux.PaneID, keys ...string) []string {
	return append([]string{"send-keys", "-t", string(pane), "--"}, keys...)
}

// PasteBuffer pastes a buffer and deletes it.
func PasteBuffer(pane tmux.PaneID, buffer string, bracket ports.Bracket, version tmux.Version) []string {
	argv := []string{"paste-buffer", "-d", "-b", buffer, "-t", string(pane)}
	if bracket == ports.BracketAuto {
		argv = append(argv, "-p")
	}
	if version.AtLeast("3.7") {
		argv = append(argv, "-S") // else bytes that are no UTF-8 are escaped
	}
	return argv
}

// DeleteBuffer deletes a buffer that may be there or not. It is set first, because delete-buffer takes a name that does not
// exist for the newest buffer, which is somebody else's.
func DeleteBuffer[C ~[]string](buffer string) []C {
	return []C{{"set-buffer", "-b", buffer, "x"}, {"delete-buffer", "-b", buffer}}
}

// Created is what a creation prints.
type Created struct {
	Server  tmux.Server
	Session tmux.SessionID
	Window  tmux.WindowID
	Pane    tmux.PaneID
}

// CreatedTable describes what was created.
var CreatedTable = append(
	within(ServerTable, func(c *Created) *tmux.Server { return &c.Server }),
	id("session_id", func(c *Created, v string) { c.Session = tmux.SessionID(v) }),
	id("window_id", func(c *Created, v string) { c.Window = tmux.WindowID(v) }),
	id("pane_id", func(c *Created, v string) { c.Pane = tmux.PaneID(v) }),
)

// NewSession creates a detached session.
func NewSession(nonce Nonce, request ports.NewSession) []string {
	argv := []string{"new-session", "-d", "-P", "-F", CreatedTable.Format(nonce)}
	argv = option(argv, "-s", Literal(request.Name))
	argv = option(argv, "-n", Literal(request.WindowName))
	argv = option(argv, "-c", Literal(request.Cwd))
	argv = option(argv, "-x", cells(request.Width))
	argv = option(argv, "-y", cells(request.Height))
	return starting(argv, request.Start)
}

// starting adds to a creation what is to run.
func starting(argv []string, start ports.Start) []string {
	for _, name := range slices.Sorted(maps.Keys(start.Environment)) {
		argv = append(argv, "-e", name+"="+start.Environment[name])
	}
	switch len(start.Argv) {
	case 0:
		return argv
	case 1: // tmux has a shell read a single word; this one replaces itself, and takes the word as it is
		return append(argv, "--", "/bin/sh", "-c", `exec "$0"`, start.Argv[0])
	}
	return append(append(argv, "--"), start.Argv...)
}

// RenameWindow gives a window a name.
func RenameWindow(window tmux.WindowID, name string) []string {
	return []string{"rename-window", "-t", string(window), "--", Literal(name)}
}

// ResizeWindow gives a window a size of its own.
func ResizeWindow(window tmux.WindowID, width, height int) []string {
	argv := []string{"resize-window", "-t", string(window)}
	argv = option(argv, "-x", cells(width))
	return option(argv, "-y", cells(height))
}

// NewWindow creates a window in a session.
func NewWindow(nonce Nonce, request ports.NewWindow) []string {
	place := string(request.Session) + ":"
	if request.Index != nil {
		place += strconv.Itoa(*request.Index)
	}
	argv := []string{"new-window", "-P", "-F", CreatedTable.Format(nonce), "-t", place}
	if !request.Focus {
		argv = append(argv, "-d")
	}
	argv = option(argv, "-n", Literal(request.Name))
	argv = option(argv, "-c", Literal(request.Cwd))
	return starting(argv, request.Start)
}

// SplitWindow creates a pane beside another, in a window that is zoomed or not.
func SplitWindow(nonce Nonce, request ports.SplitWindow, zoomed bool) []string {
	argv := []string{"split-window", "-P", "-F", CreatedTable.Format(nonce), "-t", string(request.Pane)}
	switch request.Direction {
	case ports.Above:
		argv = append(argv, "-v", "-b")
	case ports.Right:
		argv = append(argv, "-h")
	case ports.Left:
		argv = append(argv, "-h", "-b")
	case ports.Below, "":
		argv = append(argv, "-v")
	}
	if !request.Focus {
		argv = append(argv, "-d")
		if zoomed {
			argv = append(argv, "-Z")
		}
	}
	argv = option(argv, "-l", request.Size)
	argv = option(argv, "-c", Literal(request.Cwd))
	return starting(argv, request.Start)
}

// option adds a flag with its value, unless that is empty.
func option(argv []string, flag, value string) []string {
	if value == "" {
		return argv
	}
	return append(argv, flag, value)
}

func cells(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

// SizesNewSession reports whether new-session heeds -x and -y when it is detached.
func SizesNewSession(v tmux.Version) bool { return v.AtLeast("3.3") }
