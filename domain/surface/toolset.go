// Package surface holds what the tools that a server offers are called, grouped and said to do.
package surface

// A Toolset groups tools by what they can do; tools outside all sets are enabled by name alone.
type Toolset string

// The toolsets, from the least to the most that can be lost.
const (
	Inspect  Toolset = "inspect"
	Manage   Toolset = "manage"
	Execute  Toolset = "execute"
	Teardown Toolset = "teardown"
	Exact    Toolset = "" // enabled by exact name only
)

// An Effect is what a tool does to tmux.
type Effect string

// The effects.
const (
	Observe Effect = "observe"
	Change  Effect = "change"
	Delete  Effect = "delete"
)

// A Reach is what a tool can make a process do.
type Reach string

// The reaches.
const (
	ReachNone       Reach = "none"
	ReachPaneInput  Reach = "pane_input"
	ReachConfigured Reach = "configured_process"
	ReachShell      Reach = "shell_command"
)

// A Content is what a tool's output may hold.
type Content string

// The contents.
const (
	Metadata           Content = "metadata"
	TerminalText       Content = "terminal_text"
	Environment        Content = "environment"
	ConfiguredCommands Content = "configured_commands"
)
