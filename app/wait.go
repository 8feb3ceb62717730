package app

import (
	"context"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/screen"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/domain/wait"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// WaitForTextIn says what to wait for.
type WaitForTextIn struct {
	PaneID   string   `json:"pane_id" jsonschema:"pane (%N)"`
	Patterns []string `json:"patterns" minItems:"1" maxItems:"16" jsonschema:"any of these ends the wait"`
	Stop     []string `json:"stop,omitempty" maxItems:"16" jsonschema:"any of these ends it too, as stopped: what a failure would print"`
	Regex    bool     `json:"regex,omitempty" jsonschema:"patterns and stop are RE2; literal by default"`
	Cursor   string   `json:"cursor,omitempty" jsonschema:"count everything since this cursor of capture_pane, capture_since or a run: nothing between is missed"`
	Idle     *float64 `json:"idle,omitempty" jsonschema:"also end when nothing was written for so many seconds"`
	Timeout  *float64 `json:"timeout,omitempty" min:"0" jsonschema:"seconds, 30 by default, at most 120"`
}

// WaitForTextOut is how the wait ended.
type WaitForTextOut struct {
	Generation string   `json:"generation"`
	PaneID     string   `json:"pane_id"`
	Outcome    string   `json:"outcome" enum:"matched,stopped,present_at_entry,idle,timed_out,pane_gone,pane_died,server_gone" jsonschema:"present_at_entry: it stood on the screen before; pass a cursor to wait for a new one"`
	Pattern    string   `json:"pattern,omitempty" jsonschema:"the pattern that matched, as given"`
	Line       string   `json:"line,omitempty" jsonschema:"the line it matched in; untrusted"`
	LineCut    bool     `json:"line_cut,omitempty" jsonschema:"line is a part of a very long one, around the match"`
	Lines      []string `json:"lines" jsonschema:"untrusted lines since the entry or the cursor"`
	Continuous bool     `json:"continuous" jsonschema:"false: lines may have come and gone unseen, and a match with them"`
	Reason     string   `json:"reason,omitempty" enum:"cleared,trimmed,resized,respawned,restarted" jsonschema:"why it is not continuous"`
	Truncation
	Cursor           string  `json:"cursor,omitempty" jsonschema:"for capture_since and the next wait; absent if the pane is gone"`
	EffectiveTimeout float64 `json:"effective_timeout" jsonschema:"seconds"`
	TimeoutClamped   bool    `json:"timeout_clamped,omitempty" jsonschema:"more was asked for"`
}

// A waiter looks at a pane each time something happened there.
type waiter struct {
	app            *App
	server         tmux.Server
	pane           tmux.Pane
	patterns, stop wait.Patterns

	at      screen.Cursor
	entry   []string // what stood below the finished lines at the entry, and counts only when it changes
	lines   []string // since the entry
	pending []string // what stands below the finished lines now
	dropped screen.Cut
	broken  screen.Break
	quiet   bool // the last look found nothing new
}

// WaitForText waits until a line that holds a pattern is written in a pane.
func (a *App) WaitForText(ctx context.Context, in WaitForTextIn) (WaitForTextOut, error) {
	ctx, err := a.admit(ctx, "wait_for_text")
	if err != nil {
		return WaitForTextOut{}, err
	}
	w := &waiter{app: a}
	deadline, err := wait.Within(in.Timeout, wait.Default)
	if err != nil {
		return WaitForTextOut{}, err
	}
	idle, err := checkIdle(in.Idle)
	if err != nil {
		return WaitForTextOut{}, err
	}
	if w.patterns, err = wait.Compile("patterns", in.Patterns, in.Regex); err != nil {
		return WaitForTextOut{}, err
	}
	if len(in.Patterns) == 0 {
		return WaitForTextOut{}, fault.Invalidf("pass at least one", "patterns is empty")
	}
	if w.stop, err = wait.Compile("stop", in.Stop, in.Regex); err != nil {
		return WaitForTextOut{}, err
	}
	waiting, cancel := context.WithTimeout(ctx, deadline.Timeout)
	defer cancel()
	entering, cancel := context.WithTimeout(ctx, a.options.CallTimeout)
	defer cancel()
	t, pane, err := a.knownPane(entering, tmux.DetailBrief, in.PaneID)
	if err != nil {
		return WaitForTextOut{}, err
	}
	w.server, w.pane = t.Server, pane
	watch, err := a.Events.Watch(entering, t.Server, pane.ID)
	if err != nil {
		return WaitForTextOut{}, err
	}
	defer watch.Close()
	out, err := w.enter(entering, in.Cursor)
	if err == nil && out.Outcome == "" {
		out, err = w.wait(ctx, waiting, watch, idle)
	}
	if err != nil {
		return WaitForTextOut{}, err
	}
	lines, truncation := bounded(append(w.lines, screen.TrimEnd(w.pending)...), w.dropped.Lines, Bounding{})
	out.Generation, out.PaneID, out.Lines, out.Truncation = string(t.Server.Generation), string(pane.ID), lines, truncation
	out.Continuous, out.Reason = w.broken == screen.Unbroken, string(w.broken)
	out.EffectiveTimeout, out.TimeoutClamped = deadline.Timeout.Seconds(), deadline.Clamped
	if o := wait.Outcome(out.Outcome); o != wait.PaneGone && o != wait.ServerGone {
		out.Cursor = a.sealer.Seal(w.at)
	}
	return out, nil
}

func checkIdle(seconds *float64) (time.Duration, error) {
	if seconds == nil {
		return math.MaxInt64, nil
	}
	if !(*seconds > 0) {
		return 0, fault.Invalidf("pass a length of time such as 2, or leave it out", "idle %v is no length of time", *seconds)
	}
	return time.Duration(min(*seconds, wait.Greatest.Seconds()+1) * float64(time.Second)), nil
}

// enter looks at what is there when the wait begins.
func (w *waiter) enter(ctx context.Context, cursor string) (WaitForTextOut, error) {
	if cursor != "" {
		var err error
		if w.at, err = w.app.sealer.Open(cursor, w.pane.ID, w.server.Generation); err != nil {
			return WaitForTextOut{}, err
		}
		return w.look(ctx)
	}
	c, err := w.app.lines(ctx, w.server, w.pane.ID, 0)
	if err != nil {
		return WaitForTextOut{}, err
	}
	w.at = screen.CursorAt(c)
	w.entry, w.pending = screen.Pending(c), nil
	for _, line := range screen.Visible(c, 0) {
		if found, ok := w.patterns.Match(line); ok {
			return matched(wait.PresentAtEntry, found, line), nil
		}
	}
	if c.Pane.Dead {
		return WaitForTextOut{Outcome: string(w.app.afterDeath(ctx, w.server, w.pane.ID))}, nil
	}
	return WaitForTextOut{}, nil
}

// greatestLine is how many bytes of a line are shown, around the match.
const greatestLine = 4 << 10

// matched tells a match, and of a very long line the part around it.
func matched(outcome wait.Outcome, found wait.Match, line string) WaitForTextOut {
	from, to := 0, len(line)
	if len(line) > greatestLine {
		from, to = max(0, found.Start-greatestLine/2), min(len(line), found.Start+greatestLine/2)
		for from > 0 && !utf8.RuneStart(line[from]) {
			from--
		}
		for to < len(line) && !utf8.RuneStart(line[to]) {
			to++
		}
	}
	text, _ := screen.Clean(line[from:to])
	return WaitForTextOut{Outcome: string(outcome), Pattern: found.Pattern, Line: text, LineCut: to-from < len(line)}
}

// look reads what was written since the last look, and matches it line by line.
func (w *waiter) look(ctx context.Context) (WaitForTextOut, error) {
	ctx, cancel := context.WithTimeout(ctx, w.app.options.CallTimeout)
	defer cancel()
	delta, c, err := w.app.since(ctx, w.server, w.pane.ID, w.at)
	switch {
	case fault.Is(err, fault.NotFound):
		return WaitForTextOut{Outcome: string(wait.PaneGone)}, nil
	case fault.Is(err, fault.ServerGone), fault.Is(err, fault.StaleTarget):
		return WaitForTextOut{Outcome: string(wait.ServerGone)}, nil
	case err != nil:
		return WaitForTextOut{}, err
	}
	w.at, w.quiet = delta.Next, delta.Quiet
	if w.broken == screen.Unbroken {
		w.broken = delta.Break
	}
	kept, cut := screen.Bounds{Lines: screen.GreatestLines, Bytes: screen.GreatestBytes}.Apply(append(w.lines, delta.Lines...))
	fresh := kept[max(len(kept)-len(delta.Lines), 0):]
	for i, line := range fresh {
		fresh[i] = strings.Clone(line) // as it came it would keep all that was captured with it
	}
	w.lines, w.dropped.Lines = kept, w.dropped.Lines+cut.Lines
	if len(delta.Lines) > 0 || delta.Break != screen.Unbroken {
		w.entry = nil // whatever stands below now was written since
	}
	fresh = delta.Lines
	if !delta.Quiet {
		w.pending = screen.Changed(w.entry, screen.Pending(c))
		fresh = slices.Concat(delta.Lines, w.pending)
	}
	for _, line := range fresh {
		if found, ok := w.patterns.Match(line); ok {
			return matched(wait.Matched, found, line), nil
		}
		if found, ok := w.stop.Match(line); ok {
			return matched(wait.Stopped, found, line), nil
		}
	}
	switch {
	case c.Pane.Dead:
		return WaitForTextOut{Outcome: string(w.app.afterDeath(ctx, w.server, w.pane.ID))}, nil
	case c.Pane.PID != w.pane.PID:
		return WaitForTextOut{Outcome: string(wait.PaneDied)}, nil
	}
	return WaitForTextOut{}, nil
}

// wait looks each time something happened, until the wait has an outcome.
func (w *waiter) wait(ctx, waiting context.Context, watch ports.Watch, idle time.Duration) (WaitForTextOut, error) {
	quietAt := time.Now().Add(idle)
	for {
		event, over, err := next(ctx, waiting, watch, quietAt)
		switch {
		case err != nil:
			return WaitForTextOut{}, err
		case event.ServerGone:
			return WaitForTextOut{Outcome: string(wait.ServerGone)}, nil
		case event.Gone:
			return WaitForTextOut{Outcome: string(wait.PaneGone)}, nil
		}
		// Also when it is over: what was written just now may not have been told yet.
		out, err := w.look(ctx)
		switch {
		case err != nil || out.Outcome != "":
			return out, err
		case over == wait.TimedOut, over == wait.Idle && w.quiet:
			return WaitForTextOut{Outcome: string(over)}, nil
		case !w.quiet || event.Output || event.Gap:
			quietAt = time.Now().Add(idle)
		}
	}
}

// next waits for something to happen, until the wait is over: TimedOut, or Idle if that comes first.
func next(ctx, waiting context.Context, watch ports.Watch, quietAt time.Time) (event ports.Event, over wait.Outcome, err error) {
	until, cancel := context.WithDeadline(waiting, quietAt)
	defer cancel()
	event, err = watch.Next(until)
	switch {
	case ctx.Err() != nil:
		return event, "", asFault(ctx.Err(), "wait for text")
	case waiting.Err() != nil: // also where something happens all the time
		return event, wait.TimedOut, nil
	case err == nil:
		return event, "", nil
	case fault.Is(err, fault.Deadline):
		return event, wait.Idle, nil
	}
	return event, "", err
}
