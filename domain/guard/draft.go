package guard

import "github.com/libtmux-mcp/libtmux-mcp/domain/screen"

// A DraftState says whether something was typed at a prompt and not yet sent.
type DraftState string

// The draft states. The zero value is treated as DraftUnknown.
const (
	DraftEmpty   DraftState = "empty"
	DraftPresent DraftState = "draft"
	DraftUnknown DraftState = "unknown"
)

// A Draft is what the screen says of the prompt.
type Draft struct {
	State DraftState
	Text  string // what seems typed, for the answer; empty if none or unknown
	// Promptlike says that the row up to the cursor ends like a prompt and nothing follows it: with DraftUnknown, good
	// enough for a first contact with a pane that nobody attends.
	Promptlike bool
}

// A Prompt is a prompt that was seen idle and empty: what a later screen is compared with.
type Prompt struct {
	Capture screen.Capture // physical rows with styles and blanks, at that moment
}
