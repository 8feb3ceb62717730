package app

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/samber/lo"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/screen"
	"github.com/libtmux-mcp/libtmux-mcp/domain/target"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/domain/wait"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// The conditions of TmuxWait.
const (
	screenContains = "screen_contains"
	processExit    = "process_exit"
)

// TmuxWaitIn says what to wait for.
type TmuxWaitIn struct {
	Reference
	Condition string   `json:"condition" enum:"screen_contains,process_exit" jsonschema:"what ends the wait"`
	Text      string   `json:"text,omitempty" maxLength:"1024" jsonschema:"with screen_contains: literal, of one row; what stands there already counts"`
	Timeout   *float64 `json:"timeout,omitempty" min:"0" jsonschema:"seconds, 30 by default, at most 120"`
}

// TmuxWaitOut is what was waited for.
type TmuxWaitOut struct {
	Generation        string         `json:"generation"`
	TargetID          string         `json:"target_id"`
	Condition         string         `json:"condition"`
	ObservedAt        int64          `json:"observed_at" jsonschema:"when that was seen, epoch milliseconds"`
	Capture           *WaitedCapture `json:"capture,omitempty" jsonschema:"with screen_contains: the one that satisfied it"`
	ProcessGeneration string         `json:"process_generation,omitempty" jsonschema:"with process_exit: identity of the process, which no later one has"`
	ExitStatus        string         `json:"exit_status,omitempty" jsonschema:"with process_exit: unobserved unless the kernel told it; a number as a shell has it, 128+n after signal n"`
	Signal            int            `json:"signal,omitempty" jsonschema:"number of the signal that ended the process"`
	EffectiveTimeout  float64        `json:"effective_timeout" jsonschema:"seconds"`
	TimeoutClamped    bool           `json:"timeout_clamped,omitempty" jsonschema:"more was asked for"`
}

// A WaitedCapture is a pane's screen.
type WaitedCapture struct {
	Encoding     string   `json:"encoding" enum:"utf-8,base64" jsonschema:"of each row: base64 if one of them is not UTF-8"`
	Rows         []string `json:"rows" jsonschema:"untrusted rows with their line endings; wrapped ones rejoined, trailing blanks trimmed"`
	Truncated    bool     `json:"truncated" jsonschema:"rows at the top were left out"`
	DroppedLines int      `json:"dropped_lines,omitempty"`
}

// TmuxWait waits until a condition holds in a pane. That it does not in time, and that it cannot be told, is an error.
func (a *App) TmuxWait(ctx context.Context, in TmuxWaitIn) (TmuxWaitOut, error) {
	ctx, err := a.admit(ctx, "tmux_wait")
	if err != nil {
		return TmuxWaitOut{}, err
	}
	deadline, err := wait.Within(in.Timeout, wait.Default)
	if err != nil {
		return TmuxWaitOut{}, err
	}
	if err := in.check(); err != nil {
		return TmuxWaitOut{}, err
	}
	waiting, cancel := context.WithTimeout(ctx, deadline.Timeout)
	defer cancel()
	entering, cancel := context.WithTimeout(ctx, a.options.CallTimeout)
	defer cancel()
	t, err := a.exact(entering, tmux.DetailBrief, "target_id", in.Reference, tmux.KindPane)
	if err != nil {
		return TmuxWaitOut{}, err
	}
	out := TmuxWaitOut{
		Generation: in.Generation, TargetID: in.TargetID, Condition: in.Condition,
		EffectiveTimeout: deadline.Timeout.Seconds(), TimeoutClamped: deadline.Clamped,
	}
	if in.Condition == processExit {
		err = a.waitForExit(entering, waiting, t.Server, &out)
	} else {
		err = a.waitForScreen(ctx, waiting, t.Server, in.Text, &out)
	}
	if err != nil {
		return TmuxWaitOut{}, unsatisfied(ctx, waiting, in, deadline, err)
	}
	return out, nil
}

// check refuses arguments that do not go together, and texts that no row can hold.
func (in TmuxWaitIn) check() error {
	const advice = `pass condition "screen_contains" with a text, or "process_exit" without one`
	if err := target.Parse("target_id", in.TargetID, tmux.KindPane); err != nil {
		return fromSnapshot(err)
	}
	switch {
	case in.Condition != screenContains && in.Condition != processExit:
		return fault.Invalidf(advice, "condition %q is unknown", clipped(in.Condition))
	case in.Condition == processExit && in.Text != "":
		return fault.Invalidf(advice, "text is for screen_contains, and the condition is process_exit")
	case in.Condition == screenContains && in.Text == "":
		return fault.Invalidf(advice, "text is empty: every screen contains that")
	case strings.ContainsFunc(in.Text, unicode.IsControl):
		return fault.Invalidf("pass what one row of the screen shows", "text %q has a control character, which no row of a screen holds", clipped(in.Text))
	}
	return nil
}

// waitForExit waits for the end of the process that the pane runs now, whatever runs there later.
func (a *App) waitForExit(entering, waiting context.Context, server tmux.Server, out *TmuxWaitOut) error {
	held, err := a.Identity.Hold(entering, server, tmux.PaneID(out.TargetID))
	if err != nil {
		return err
	}
	defer held.Close()
	exit, err := held.Wait(waiting)
	if err != nil {
		return err
	}
	out.ProcessGeneration, out.ObservedAt = string(held.Generation()), exit.At.UnixMilli()
	out.ExitStatus, out.Signal = exitStatus(exit), exit.Signal
	return nil
}

func exitStatus(exit ports.Exit) string {
	switch {
	case !exit.Observed:
		return "unobserved"
	case exit.Signal != 0:
		return strconv.Itoa(128 + exit.Signal)
	}
	return strconv.Itoa(exit.Status)
}

// waitForScreen looks at the pane now, and each time something happened there.
func (a *App) waitForScreen(ctx, waiting context.Context, server tmux.Server, text string, out *TmuxWaitOut) error {
	pane := tmux.PaneID(out.TargetID)
	entering, cancel := context.WithTimeout(ctx, a.options.CallTimeout)
	defer cancel()
	watch, err := a.Events.Watch(entering, server, pane)
	if err != nil {
		return err
	}
	defer watch.Close()
	for {
		found, err := a.shows(ctx, server, pane, text, out)
		if found || err != nil {
			return err
		}
		if waiting.Err() != nil {
			return asFault(waiting.Err(), "wait for the screen")
		}
		event, err := watch.Next(waiting)
		switch {
		case err != nil && waiting.Err() == nil:
			return a.broken(waiting, server, pane, err)
		case ctx.Err() != nil:
			return asFault(ctx.Err(), "wait for the screen")
		case event.ServerGone:
			return serverEnded(pane)
		case event.Gone:
			return paneClosed(pane)
		}
		// Also when the time is over: what was written just now may not have been told yet.
	}
}

// shows looks whether the screen holds the text, and if so keeps what it looked at. Blank cells at the end of a row are blanks.
func (a *App) shows(ctx context.Context, server tmux.Server, pane tmux.PaneID, text string, out *TmuxWaitOut) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, a.options.CallTimeout)
	defer cancel()
	c, err := a.Reader.Capture(ctx, ports.CaptureRequest{Server: server, Pane: pane, Join: true})
	switch {
	case fault.Is(err, fault.NotFound):
		return false, paneClosed(pane)
	case fault.Is(err, fault.ServerGone), fault.Is(err, fault.StaleTarget):
		return false, serverEnded(pane)
	case err != nil:
		return false, a.broken(ctx, server, pane, err)
	}
	blanks := strings.Repeat(" ", len(text)-len(strings.TrimRight(text, " ")))
	if slices.ContainsFunc(c.Rows, func(row string) bool { return strings.Contains(row+blanks, text) }) {
		out.ObservedAt, out.Capture = time.Now().UnixMilli(), waitedCapture(c.Rows)
		return true, nil
	}
	if c.Pane.Dead {
		return false, &fault.Error{
			Kind: fault.Refused, Reason: fault.Dead, Target: string(pane), Delivery: fault.Observed,
			Message:  fmt.Sprintf("the process of pane %s has ended, and its screen does not contain the text", pane),
			Recovery: "look at the pane (tmux_capture): nothing more is written there",
		}
	}
	return false, nil
}

// waitedCapture is a screen as an answer shows it.
func waitedCapture(lines []string) *WaitedCapture {
	kept, cut := screen.Bounds{Lines: screen.GreatestLines, Bytes: screen.GreatestBytes}.Apply(lines)
	encoding, rows := encodedRows(lo.Map(kept, func(line string, _ int) string { return line + "\n" }))
	return &WaitedCapture{Encoding: encoding, Rows: rows, Truncated: cut.Any(), DroppedLines: cut.Lines}
}

// The encodings of rows.
const (
	encodingUTF8   = "utf-8"
	encodingBase64 = "base64"
)

// encodedRows are rows as they are, or, if one of them is not UTF-8, each in base64.
func encodedRows(rows []string) (encoding string, encoded []string) {
	if lo.EveryBy(rows, utf8.ValidString) {
		return encodingUTF8, rows
	}
	return encodingBase64, lo.Map(rows, func(row string, _ int) string { return base64.StdEncoding.EncodeToString([]byte(row)) })
}

// broken is why an observation failed: a server that just ends may send its clients away without a word.
func (a *App) broken(ctx context.Context, server tmux.Server, pane tmux.PaneID, err error) error {
	if !fault.Is(err, fault.TransportError) {
		return err
	}
	if t, again := a.Reader.Topology(ctx, tmux.DetailBrief); again == nil && t.Server.Generation != server.Generation {
		return serverEnded(pane)
	}
	return err
}

func serverEnded(pane tmux.PaneID) error {
	return &fault.Error{
		Kind: fault.ServerGone, Target: string(pane), Delivery: fault.Observed, Message: "the tmux server of pane " + string(pane) + " has ended",
	}
}

func paneClosed(pane tmux.PaneID) error {
	return &fault.Error{
		Kind: fault.NotFound, Target: string(pane), Delivery: fault.Observed, Message: "pane " + string(pane) + " was closed during the wait",
		Recovery: snapshotFirst,
	}
}

// unsatisfied is why a wait that began ended without its condition. Nothing was changed by it.
func unsatisfied(ctx, waiting context.Context, in TmuxWaitIn, deadline wait.Deadline, err error) error {
	err = asFault(err, "wait for "+in.Condition)
	f, ok := errors.AsType[*fault.Error](err)
	if !ok {
		return err
	}
	told := *f
	told.Effects = &fault.Effects{State: "none"}
	switch {
	case f.Kind == fault.ServerGone:
		told.Recovery = "call tmux_capabilities: it says whether a server runs, and which"
	case ctx.Err() != nil && f.Kind == fault.Cancelled:
		told.Delivery, told.Recovery = fault.NotSent, "nothing is left of the wait, and nothing was changed"
	case waiting.Err() != nil && f.Kind == fault.Deadline:
		told.Delivery, told.Target, told.Err = fault.NotSent, in.TargetID, nil
		told.Message = fmt.Sprintf("%s does not hold for pane %s after %v", in.Condition, in.TargetID, deadline.Timeout)
		told.Recovery = "look at the pane (tmux_capture), or wait again"
	}
	return &told
}
