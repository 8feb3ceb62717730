package app

import "github.com/libtmux-mcp/libtmux-mcp/domain/surface"

// exactRows are the tools for deployments that deny by default: each is enabled by its name alone, and acts on nothing but what a
// reference names.
func exactRows() []Tool {
	return []Tool{
		row(Tool{
			Name: "tmux_capabilities", Title: "tmux capabilities", Toolset: surface.Exact, Hints: reads,
			Description: "Which tmux server this is, which tools are enabled, and within which limits. What is not listed is not enabled.",
			Effect:      surface.Observe, Reach: surface.ReachNone, Holds: []surface.Content{surface.Metadata},
		}, (*App).TmuxCapabilities),
		row(Tool{
			Name: "tmux_snapshot", Title: "tmux snapshot", Toolset: surface.Exact, Hints: reads,
			Description: "What there is of one kind, at one instant, with refs for other tools. A cursor pages that capture, which never changes; later it is stale_cursor. It does not claim that a process captured then still exists.",
			Effect:      surface.Observe, Reach: surface.ReachNone, Holds: []surface.Content{surface.Metadata},
		}, (*App).TmuxSnapshot),
		row(Tool{
			Name: "tmux_capture", Title: "tmux capture", Toolset: surface.Exact, Hints: reads,
			Description: "A pane's screen: the newest rows, with their line endings. track gives a cursor; with it the answer is the splice that makes these rows of those before. What came and went in between is not told. stale_cursor: it expired, or another process runs there.",
			Effect:      surface.Observe, Reach: surface.ReachNone, Holds: []surface.Content{surface.TerminalText},
		}, (*App).TmuxCapture),
		row(Tool{
			Name: "tmux_wait", Title: "tmux wait", Toolset: surface.Exact, Hints: reads, Waits: true,
			Description: "Wait until a pane's screen contains a text, or until the process that it runs now has ended. A deadline, the end of tmux and a lost observation are errors, never success. process_exit needs process tracking (tmux_capabilities).",
			Effect:      surface.Observe, Reach: surface.ReachNone, Holds: []surface.Content{surface.TerminalText, surface.Metadata},
		}, (*App).TmuxWait),
		row(Tool{
			Name: "tmux_create", Title: "tmux create", Toolset: surface.Exact, Hints: types,
			Description: "Create a session, a window in exactly this session or a pane beside exactly this pane, with a program or a shell, and get references to all of it. Not in front of anybody unless focus is set.",
			Effect:      surface.Change, Reach: surface.ReachShell, Holds: []surface.Content{surface.Metadata},
		}, (*App).TmuxCreate),
		row(Tool{
			Name: "tmux_send", Title: "tmux send", Toolset: surface.Exact, Hints: types,
			Description: "Type a text or press keys in exactly this pane. Refused where a person looks, in modes, in this conversation's own pane, and if siblings would get it too. Says that tmux took it, not what the program did.",
			Effect:      surface.Change, Reach: surface.ReachPaneInput, Holds: []surface.Content{surface.Metadata},
		}, (*App).TmuxSend),
		row(Tool{
			Name: "tmux_close", Title: "tmux close", Toolset: surface.Exact, Hints: destroys,
			Description: "End exactly this session, window or pane with what runs in it. Refused where this conversation runs or a person looks.",
			Effect:      surface.Delete, Reach: surface.ReachNone, Holds: []surface.Content{surface.Metadata},
		}, (*App).TmuxClose),
		row(Tool{
			Name: tmuxRun, Title: "Run a script", Toolset: surface.Exact, Hints: types, Waits: true,
			Description: "Execute a POSIX sh script for the enrolled zsh of a pane, without typing: exit status or signal, exact separate outputs, a receipt. Nothing of it persists in that shell. It must be idle at an empty prompt.",
			Effect:      surface.Change, Reach: surface.ReachShell, Holds: []surface.Content{surface.TerminalText, surface.Metadata},
		}, (*App).TmuxRun),
	}
}

// ExactBase names the tools that an operator who denies by default enables without naming them.
func ExactBase() []string { return []string{"tmux_capabilities", "tmux_snapshot"} }
