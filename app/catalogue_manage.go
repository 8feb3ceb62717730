package app

import "github.com/libtmux-mcp/libtmux-mcp/domain/surface"

// manageRows are the tools that rearrange what there is.
func manageRows() []Tool {
	return []Tool{
		row(Tool{
			Name: "rename", Title: "Rename", Toolset: surface.Manage, Hints: manages,
			Description: "Name a session or a window, or set a pane's title. The name is literal.",
			Effect:      surface.Change, Reach: surface.ReachNone, Holds: []surface.Content{surface.Metadata},
		}, (*App).Rename),
		row(Tool{
			Name: "select", Title: "Select", Toolset: surface.Manage, Hints: manages,
			Description: "Bring a window or a pane in front of whoever looks at it: only if the person wants to see it. No other tool needs it; they all take ids.",
			Effect:      surface.Change, Reach: surface.ReachNone, Holds: []surface.Content{surface.Metadata},
		}, (*App).Select),
		row(Tool{
			Name: "select_layout", Title: "Select layout", Toolset: surface.Manage, Hints: manages,
			Description: "Lay the panes of a window out by a named layout or by a layout string that was listed before; list_windows shows them.",
			Effect:      surface.Change, Reach: surface.ReachNone, Holds: []surface.Content{surface.Metadata},
		}, (*App).SelectLayout),
		row(Tool{
			Name: "resize", Title: "Resize", Toolset: surface.Manage, Hints: manages,
			Description: "Give a pane a size within its window, as far as there is room, or zoom it; or give a window a size of its own, which it keeps also when a terminal of another size attaches.",
			Effect:      surface.Change, Reach: surface.ReachNone, Holds: []surface.Content{surface.Metadata},
		}, (*App).Resize),
		row(Tool{
			Name: "move_window", Title: "Move window", Toolset: surface.Manage, Hints: rearranges,
			Description: "Move a window to another index or session. Refused if it would take away what a person looks at or leave a session empty.",
			Effect:      surface.Change, Reach: surface.ReachNone, Holds: []surface.Content{surface.Metadata},
		}, (*App).MoveWindow),
		row(Tool{
			Name: "swap_panes", Title: "Swap panes", Toolset: surface.Manage, Hints: rearranges,
			Description: "Swap the places of two panes, in one window or in two; what runs in them goes on.",
			Effect:      surface.Change, Reach: surface.ReachNone, Holds: []surface.Content{surface.Metadata},
		}, (*App).SwapPanes),
		row(Tool{
			Name: "set_option", Title: "Set option", Toolset: surface.Manage, Hints: manages, Amplifies: true,
			Description: "Set one of a few tmux options or an @option of your own. synchronize-panes amplifies later input: keys for one pane reach all. history-limit counts for panes made later.",
			Effect:      surface.Change, Reach: surface.ReachNone, Holds: []surface.Content{surface.Metadata},
		}, (*App).SetOption),
		row(Tool{
			Name: "signal_channel", Title: "Signal channel", Toolset: surface.Manage, Hints: rearranges,
			Description: "Wake all who wait on a channel, as tmux wait-for -S does. If nobody waits tmux keeps the signal for the next wait; a second one then takes it back.",
			Effect:      surface.Change, Reach: surface.ReachNone, Holds: []surface.Content{surface.Metadata},
		}, (*App).SignalChannel),
		row(Tool{
			Name: "wait_for_channel", Title: "Wait for channel", Toolset: surface.Manage, Hints: rearranges, Waits: true,
			Description: "Wait until somebody signals a channel, as tmux wait-for -S CHANNEL does; so does signal_channel. A signal sent before is kept, one at most, and ends the wait at once (latched).",
			Effect:      surface.Change, Reach: surface.ReachNone, Holds: []surface.Content{surface.Metadata},
		}, (*App).WaitForChannel),
	}
}
