package app

import "github.com/libtmux-mcp/libtmux-mcp/domain/surface"

// executeRows are the tools that start or type something.
func executeRows() []Tool {
	return []Tool{
		row(Tool{
			Name: "create_session", Title: "Create session", Toolset: surface.Execute, Hints: creates,
			Description: "Create a detached session with a shell, unseen by whoever is attached. Starts tmux if it is not running.",
			Effect:      surface.Change, Reach: surface.ReachConfigured, Holds: []surface.Content{surface.Metadata},
		}, (*App).CreateSession),
		row(Tool{
			Name: "create_window", Title: "Create window", Toolset: surface.Execute, Hints: creates,
			Description: "Create a window with a shell in a session. Unless focus is set, what people look at does not change.",
			Effect:      surface.Change, Reach: surface.ReachConfigured, Holds: []surface.Content{surface.Metadata},
		}, (*App).CreateWindow),
		row(Tool{
			Name: "split_window", Title: "Split window", Toolset: surface.Execute, Hints: creates,
			Description: "Create a pane with a shell beside another. It takes room from that pane; prefer create_window where a person looks.",
			Effect:      surface.Change, Reach: surface.ReachConfigured, Holds: []surface.Content{surface.Metadata},
		}, (*App).SplitWindow),
		row(Tool{
			Name: "respawn_pane", Title: "Respawn pane", Toolset: surface.Execute, Hints: restarts,
			Description: "Start again the command that a pane was made with. A living pane needs kill. Refused where this conversation runs or a person looks.",
			Effect:      surface.Change, Reach: surface.ReachConfigured, Holds: []surface.Content{surface.Metadata},
		}, (*App).RespawnPane),
		row(Tool{
			Name: "run_shell_command", Title: "Run shell command", Toolset: surface.Execute, Hints: types, Waits: true,
			Description: "Run a command in a pane's idle shell and get its exit status and output in one call; prefer it to send_keys. cd and export do not persist. After a timeout it goes on: get_run.",
			Effect:      surface.Change, Reach: surface.ReachShell, Holds: []surface.Content{surface.TerminalText, surface.Metadata},
		}, (*App).RunShellCommand),
		row(Tool{
			Name: "send_keys", Title: "Send keys", Toolset: surface.Execute, Hints: types, Amplifies: true,
			Description: "Type a literal text or press keys in a program. Refused where it could disturb a person. It tells that tmux took the input, not what became of it: capture_pane.",
			Effect:      surface.Change, Reach: surface.ReachPaneInput, Holds: []surface.Content{surface.Metadata},
		}, (*App).SendKeys),
		row(Tool{
			Name: "paste_text", Title: "Paste text", Toolset: surface.Execute, Hints: types,
			Description: "Paste a long or many-line text into one pane's program, bracketed if the program asks for it. Never reaches other panes.",
			Effect:      surface.Change, Reach: surface.ReachPaneInput, Holds: []surface.Content{surface.Metadata},
		}, (*App).PasteText),
	}
}
