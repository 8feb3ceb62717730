package app

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/samber/lo"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/snapshot"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// TmuxSnapshotIn asks for a new capture, or for a page of one.
type TmuxSnapshotIn struct {
	Entity   string          `json:"entity,omitempty" enum:"session,window,window_link,pane,client" jsonschema:"window_link: a place of a window in a session"`
	Criteria json.RawMessage `json:"criteria,omitempty" jsonschema:"{all: [..]}, {any: [..]}, {not: ..} or {field, op, value}; see tmux_capabilities"`
	Limit    int             `json:"limit,omitempty" min:"1" max:"200" jsonschema:"items of each page, 50 if left out"`
	Cursor   string          `json:"cursor,omitempty" maxLength:"100" jsonschema:"next_cursor of a page, for the next; alone"`
}

// TmuxSnapshotOut is one page of a capture.
type TmuxSnapshotOut struct {
	CaptureID     string           `json:"capture_id" jsonschema:"the same on all its pages"`
	Server        ExactServer      `json:"server" open:"true" jsonschema:"as captured: state, generation, pid, start_time, version"`
	Entity        string           `json:"entity"`
	Items         []SnapshotItem   `json:"items"`
	Coverage      SnapshotCoverage `json:"coverage" open:"true" jsonschema:"read; matched: that met the criteria; start: of the page among those; unknown_fields: that this tmux lacks"`
	Interval      Interval         `json:"interval" open:"true" jsonschema:"started, finished (RFC 3339); reads: 1 if all was so at one instant"`
	ReplacedBytes int              `json:"replaced_bytes,omitempty" jsonschema:"of the whole capture, not UTF-8"`
	Truncated     bool             `json:"truncated" jsonschema:"pass next_cursor for more"`
	NextCursor    string           `json:"next_cursor,omitempty" jsonschema:"retained for a while; does not claim that what was captured still exists"`
}

// A SnapshotItem is one entity.
type SnapshotItem struct {
	Kind   tmux.Kind       `json:"kind"`
	Ref    *tmux.Ref       `json:"ref,omitempty" open:"true" jsonschema:"generation, kind and id, for other tools; links and clients have none"`
	Fields json.RawMessage `json:"fields" jsonschema:"tmux's format variables that it has and that apply"`
}

// A SnapshotCoverage says what of all there was a page has.
type SnapshotCoverage struct {
	Read    int `json:"read" jsonschema:"entities that there were; clients of this process are left out"`
	Matched int `json:"matched" jsonschema:"of those, which met the criteria"`
	Start   int `json:"start" jsonschema:"place of the first item among the matched, from 0"`

	UnknownFields []string `json:"unknown_fields" jsonschema:"fields that this tmux does not have"`
}

// An Interval is when something was read.
type Interval struct {
	Started  string `json:"started" jsonschema:"RFC 3339"`
	Finished string `json:"finished" jsonschema:"RFC 3339"`
	Reads    int    `json:"reads" jsonschema:"1: all of it was so at one instant"`
}

func interval(started, finished time.Time, reads int) Interval {
	at := func(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000Z07:00") }
	return Interval{Started: at(started), Finished: at(finished), Reads: reads}
}

// The sizes of pages, in items.
const (
	defaultPage  = 50
	greatestPage = 200
)

// itemOverhead is what an item takes in memory beside its JSON, in bytes.
const itemOverhead = 64

// A snapshotCapture is all of a capture that its pages need. It never changes.
type snapshotCapture struct {
	handle snapshot.Capture
	page   TmuxSnapshotOut // what all pages have in common
	server tmux.Server
	kind   tmux.Kind
	limit  int // items of each page
	items  []capturedItem
}

// A capturedItem is an entity as it will be answered.
type capturedItem struct {
	id     string // empty if the kind has none
	fields json.RawMessage
}

// TmuxSnapshot captures what there is of a kind, and answers the first page; or, given a cursor, a later page of the same capture.
func (a *App) TmuxSnapshot(ctx context.Context, in TmuxSnapshotIn) (TmuxSnapshotOut, error) {
	return a.snapshotIn(ctx, "", in)
}

// snapshotIn is TmuxSnapshot in one life of the server, if it is given.
func (a *App) snapshotIn(ctx context.Context, life tmux.Generation, in TmuxSnapshotIn) (TmuxSnapshotOut, error) {
	ctx, err := a.admit(ctx, "tmux_snapshot")
	if err != nil {
		return TmuxSnapshotOut{}, err
	}
	if in.Cursor != "" {
		if in.Entity != "" || len(in.Criteria) > 0 || in.Limit != 0 {
			return TmuxSnapshotOut{}, fault.Invalidf("pass the cursor alone: it stands for all of that", "cursor stands beside another argument")
		}
		return a.snapshotPage(in.Cursor, func(*snapshotCapture) string { return "" })
	}
	kind := tmux.Kind(in.Entity)
	if !lo.Contains(snapshot.Kinds(), kind) {
		kinds := strings.Join(lo.Map(snapshot.Kinds(), func(k tmux.Kind, _ int) string { return string(k) }), ", ")
		return TmuxSnapshotOut{}, fault.Invalidf("pass one of "+kinds+", or a cursor", "entity %q is none that there are snapshots of", clipped(in.Entity))
	}
	limit := lo.CoalesceOrEmpty(in.Limit, defaultPage)
	if limit < 1 || limit > greatestPage {
		return TmuxSnapshotOut{}, fault.Invalidf(fmt.Sprintf("pass 1 to %d, and page on with next_cursor", greatestPage), "limit is %d", limit)
	}
	criteria, err := snapshot.ParseCriteria(kind, in.Criteria)
	if err != nil {
		return TmuxSnapshotOut{}, err
	}
	captured, err := a.capture(ctx, life, kind, criteria, limit)
	if err != nil {
		return TmuxSnapshotOut{}, err
	}
	return a.snapshotFrom(captured, 0), nil
}

// capture reads what there is of a kind, and retains what does not go into the first page.
func (a *App) capture(ctx context.Context, life tmux.Generation, kind tmux.Kind, criteria snapshot.Criteria, limit int) (*snapshotCapture, error) {
	acquiring, cancel := context.WithTimeout(ctx, a.options.AcquisitionTimeout)
	defer cancel()
	started := time.Now()
	reading, err := a.Snapshots.Snapshot(acquiring, kind)
	if fault.Is(err, fault.Deadline) {
		return nil, &fault.Error{
			Kind: fault.Deadline, Op: "tmux_snapshot", Message: fmt.Sprintf("tmux did not tell each %s in time", kind), Recovery: "call tmux_snapshot again", Err: err,
		}
	}
	if err != nil {
		return nil, err
	}
	finished := time.Now()
	if life != "" && life != reading.Server.Generation {
		return nil, &fault.Error{Kind: fault.StaleTarget, Message: "another life of tmux answers now, or none", Recovery: snapshotFirst}
	}
	if reading.Running {
		if err := criteria.Check(reading.Server.Version); err != nil {
			return nil, err
		}
		a.acknowledged.Listed(reading.Server.Generation)
	}
	captured := &snapshotCapture{handle: a.retained.New(), server: reading.Server, kind: kind, limit: limit}
	captured.page = TmuxSnapshotOut{
		CaptureID: a.retained.ID(captured.handle), Server: exactServer(tmux.Topology{Server: reading.Server, Running: reading.Running}), Entity: string(kind),
		Interval: interval(started, finished, 1),
		Coverage: SnapshotCoverage{Read: len(reading.Rows), UnknownFields: []string{}},
	}
	for _, field := range snapshot.Fields(kind) {
		if reading.Running && !field.Known(reading.Server.Version) {
			captured.page.Coverage.UnknownFields = append(captured.page.Coverage.UnknownFields, field.Name)
		}
	}
	bytes := captured.encode(reading.Rows, criteria)
	captured.page.Coverage.Matched = len(captured.items)
	if len(captured.items) <= limit {
		return captured, nil
	}
	return captured, a.retained.Keep(captured.handle, snapshot.Entry{Value: captured, Bytes: bytes})
}

// encode makes items of the rows that meet the criteria, and says how many bytes they are.
func (c *snapshotCapture) encode(rows []snapshot.Row, criteria snapshot.Criteria) int {
	var text []byte
	var ends []int
	for _, row := range rows {
		if !criteria.Match(row) {
			continue
		}
		var replaced int
		text, replaced = row.AppendJSON(text)
		c.page.ReplacedBytes += replaced
		c.items, ends = append(c.items, capturedItem{id: row.ID()}), append(ends, len(text))
	}
	text = bytes.Clone(text) // as long as it has to be
	start := 0
	for i, end := range ends {
		c.items[i].fields = text[start:end:end]
		start = end
	}
	return len(text) + itemOverhead*len(c.items)
}

// snapshotPage is the page at a cursor of a capture that belongs there.
func (a *App) snapshotPage(cursor string, belongs func(*snapshotCapture) string) (TmuxSnapshotOut, error) {
	captured, at, err := snapshot.Find(a.retained.Retention, time.Now(), cursor, belongs)
	if err != nil {
		return TmuxSnapshotOut{}, err
	}
	return a.snapshotFrom(captured, at), nil
}

func (a *App) snapshotFrom(captured *snapshotCapture, at int) TmuxSnapshotOut {
	items, next := snapshot.Page(captured.items, at, captured.limit)
	out := captured.page
	out.Coverage.Start = at
	out.Items = lo.Map(items, func(item capturedItem, _ int) SnapshotItem {
		made := SnapshotItem{Kind: captured.kind, Fields: item.fields}
		if item.id != "" {
			made.Ref = &tmux.Ref{Generation: captured.server.Generation, Kind: captured.kind, ID: item.id}
		}
		return made
	})
	if next > 0 {
		out.Truncated, out.NextCursor = true, a.retained.Cursor(captured.handle, next)
	}
	return out
}
