package app

import "github.com/libtmux-mcp/libtmux-mcp/domain/surface"

// teardownRows are the tools that end something.
func teardownRows() []Tool {
	return []Tool{
		row(Tool{
			Name: "clear_history", Title: "Clear history", Toolset: surface.Teardown, Hints: destroys,
			Description: "Drop the lines above a pane's screen, for good. Refused while a person has the pane in a mode.",
			Effect:      surface.Delete, Reach: surface.ReachNone, Holds: []surface.Content{surface.Metadata},
		}, (*App).ClearHistory),
		row(Tool{
			Name: "kill_pane", Title: "Kill pane", Toolset: surface.Teardown, Hints: destroys,
			Description: "End a pane and what runs in it; with the last one its window ends. Refused if this conversation runs in it or a person sees it. The answer names all that ended.",
			Effect:      surface.Delete, Reach: surface.ReachNone, Holds: []surface.Content{surface.Metadata},
		}, (*App).KillPane),
		row(Tool{
			Name: "kill_window", Title: "Kill window", Toolset: surface.Teardown, Hints: destroys,
			Description: "End a window with its panes, in every session it is linked into. Refused if this conversation runs in it or a person sees it. The answer names all that ended.",
			Effect:      surface.Delete, Reach: surface.ReachNone, Holds: []surface.Content{surface.Metadata},
		}, (*App).KillWindow),
		row(Tool{
			Name: "kill_session", Title: "Kill session", Toolset: surface.Teardown, Hints: destroys,
			Description: "End a session and the windows that no other has. Refused if this conversation runs in it or a person is attached. With the last session tmux itself may end.",
			Effect:      surface.Delete, Reach: surface.ReachNone, Holds: []surface.Content{surface.Metadata},
		}, (*App).KillSession),
	}
}
