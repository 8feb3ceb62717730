package guard

import (
	"slices"
	"strings"

	"github.com/samber/lo"

	"github.com/libtmux-mcp/libtmux-mcp/domain/screen"
)

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
	// Promptlike says that no prompt of the pane is known yet, and that the row up to the cursor ends like a prompt and nothing
	// follows it: with DraftUnknown, good enough for a first contact with a pane that nobody attends.
	Promptlike bool
}

// A Prompt is a prompt that was seen idle and empty: what a later screen is compared with.
type Prompt struct {
	Capture screen.Capture // physical rows with styles and blanks, at that moment
}

// keptPrompts is how many prompts of a pane are worth keeping: they differ by directory, branch, exit status.
const keptPrompts = 4

// Learn adds a capture of a prompt that is certainly idle and empty to those known of its pane, newest first. It takes the place of
// one that reads the same, or else of the oldest.
func Learn(learned []Prompt, now screen.Capture) []Prompt {
	left, right := newPromptLine(now, "").left, rightPrompt(now)
	others := lo.Reject(learned, func(p Prompt, _ int) bool {
		return fold(newPromptLine(p.Capture, "").left) == fold(left) && fold(rightPrompt(p.Capture)) == fold(right)
	})
	prompts := append([]Prompt{{Capture: now}}, others...)
	return prompts[:min(len(prompts), keptPrompts)]
}

// CameBack reports whether a capture of a shell that just ran a command shows its prompt and nothing typed: a prompt that is known, or
// one that reads otherwise than before and ends like one. Whatever else stands there may have been typed meanwhile. Output up to the
// margin does not go on in the prompt below it.
func CameBack(now screen.Capture, learned []Prompt) bool {
	row := now
	if at := now.CursorRow() - now.First; at > 0 && at < len(now.Rows) {
		row.First, row.Rows = now.CursorRow(), now.Rows[at:]
	}
	for _, c := range []screen.Capture{now, row} {
		if state := JudgeDraft(c, learned).State; state != DraftUnknown {
			return state == DraftEmpty
		}
	}
	return newPromptLine(row, "").promptlike()
}

// Settled reports whether two captures of a pane show the same: the screen is drawn, and nobody types.
func Settled(a, b screen.Capture) bool {
	return a.Pane.ID == b.Pane.ID && a.Pane.PID == b.Pane.PID && a.Pane.Width == b.Pane.Width && a.Pane.HistorySize == b.Pane.HistorySize &&
		a.Pane.CursorX == b.Pane.CursorX && a.Pane.CursorY == b.Pane.CursorY && a.First == b.First && slices.Equal(a.Rows, b.Rows)
}

// JudgeDraft says whether something is typed at the prompt that a settled capture shows. The capture has physical rows with styles
// and blanks, and is of a shell that waits at its prompt; learned are prompts of the same pane, newest first.
//
// It may say unknown of what is empty, but must not say empty of what is not. Blanks right of the cursor are nothing: no screen tells
// them from a word that was erased, and a line typed before them runs. What no screen shows escapes it: the command mode of a vi editor
// without an indicator, and what was typed ahead to a shell that leaves editing to the terminal.
func JudgeDraft(now screen.Capture, learned []Prompt) Draft {
	if now.Joined || now.Pane.Alternate || now.Pane.Mode != "" {
		return Draft{State: DraftUnknown}
	}
	if slices.ContainsFunc(learned, func(p Prompt) bool { return Settled(p.Capture, now) }) {
		return Draft{State: DraftEmpty}
	}
	line := newPromptLine(now, "")
	if line.searching() {
		return Draft{State: DraftPresent, Text: strings.TrimSpace(line.left + line.text())}
	}
	verdict := Draft{State: DraftUnknown}
	for i, prompt := range learned {
		right := rightPrompt(prompt.Capture)
		one := newPromptLine(now, right).compare(newPromptLine(prompt.Capture, right), i == 0)
		switch {
		case one.State == DraftUnknown:
		case verdict.State == DraftUnknown:
			verdict = one
		case verdict.State != one.State: // one prompt with something typed looks like another prompt
			return Draft{State: DraftUnknown}
		}
	}
	if verdict.State == DraftUnknown && line.continues() {
		verdict = Draft{State: DraftPresent, Text: strings.TrimSpace(line.above + "\n" + line.left + line.text())}
	}
	verdict.Promptlike = verdict.State == DraftUnknown && len(learned) == 0 && line.promptlike()
	return verdict
}

// compare judges the line by one learned prompt.
func (l promptLine) compare(learned promptLine, newest bool) Draft {
	unknown := Draft{State: DraftUnknown}
	if strings.TrimSpace(learned.left) == "" {
		// Nothing tells such a prompt from any other blank row, so that only text says something.
		if text := strings.TrimSpace(l.left + l.text()); newest && text != "" && learned.text() == "" {
			return Draft{State: DraftPresent, Text: text}
		}
		return unknown
	}
	if !samePrompt(learned, l) {
		if typed, ok := cutPrompt(l.left, learned.left); ok {
			return Draft{State: DraftPresent, Text: strings.TrimSpace(typed + l.typedRight(learned))}
		}
		return unknown
	}
	switch {
	case l.text() != "" && !l.sameRight(learned):
		return Draft{State: DraftPresent, Text: strings.TrimSpace(l.text())}
	case l.below != "":
		return unknown // completions, or more of a draft whose first row is blank
	case l.continuesAbove(learned):
		return unknown
	}
	return Draft{State: DraftEmpty}
}

// continuesAbove reports whether the line may go on from the row above, which begins with the prompt: where that was written up to
// the margin with blanks at its end, and where the prompt is one that also continues commands.
func (l promptLine) continuesAbove(learned promptLine) bool {
	after := strings.HasPrefix(fold(l.above), fold(learned.left))
	return after && l.aboveFull || learned.ambiguous() && (after || l.top)
}

// sameRight reports whether what stands right of the cursor is what stood there when nothing was typed: a right prompt at the same
// distance from the margin, or a hint at the cursor in the same faint style. Grey text alone proves nothing: comments are grey, too.
func (l promptLine) sameRight(learned promptLine) bool {
	now, before := l.text(), learned.text()
	if before == "" {
		return false
	}
	if strings.HasPrefix(now, " ") != strings.HasPrefix(before, " ") {
		return false
	}
	if style := l.faint(); style != "" && style == learned.faint() && now[0] != ' ' && now[0] != '#' {
		return true
	}
	now, before = strings.TrimSpace(now), strings.TrimSpace(before)
	return l.margin == learned.margin && (fold(now) == fold(before) || samePath(before, learned.path, now, l.path, false))
}

// typedRight is what stands right of the cursor and is not part of the prompt.
func (l promptLine) typedRight(learned promptLine) string {
	if learned.text() == "" {
		return l.text()
	}
	typed, _ := strings.CutSuffix(l.text(), strings.TrimSpace(learned.text()))
	return typed
}
