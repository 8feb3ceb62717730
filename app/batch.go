package app

import (
	"context"
	"encoding/json"
	"regexp"
	"strings"

	"github.com/samber/lo"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/surface"
)

// CallReadToolsBatchIn are calls of tools that only look.
type CallReadToolsBatchIn struct {
	Calls   []BatchCall `json:"calls" minItems:"1" maxItems:"16" jsonschema:"made in this order"`
	OnError string      `json:"on_error,omitempty" enum:"stop,continue" jsonschema:"after a call that failed; stop by default"`
}

// A BatchCall is one of them.
type BatchCall struct {
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
}

var nestedArguments = regexp.MustCompile(`^calls\[[0-9]+\]\.arguments$`)

func (*CallReadToolsBatchIn) nests(argument string) bool {
	return nestedArguments.MatchString(argument)
}

// CallReadToolsBatchOut are the answers.
type CallReadToolsBatchOut struct {
	Total     int        `json:"total"`
	Failed    int        `json:"failed"`
	Truncated bool       `json:"truncated" jsonschema:"an answer had no room: its row holds the error capacity"`
	Results   []BatchRow `json:"results" jsonschema:"in the order of the calls, as far as they were made"`
}

// A BatchRow is the result of a call, or its error.
type BatchRow struct {
	Tool   string          `json:"tool"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  *Failure        `json:"error,omitempty" open:"true"`
}

const (
	greatestBatch = 16      // calls
	batchReserve  = 1 << 10 // bytes of JSON kept free for a batch's own members and, for each row, an error
)

// CallReadToolsBatch makes calls of tools that only look, one after the other. Each is checked, admitted and audited as if it was made
// by itself; together their answers have the room, and the time, of one.
func (a *App) CallReadToolsBatch(ctx context.Context, in CallReadToolsBatchIn) (CallReadToolsBatchOut, error) {
	ctx, err := a.admit(ctx, "call_read_tools_batch")
	if err != nil {
		return CallReadToolsBatchOut{}, err
	}
	if len(in.Calls) > greatestBatch {
		return CallReadToolsBatchOut{}, fault.Invalidf("make them in several batches", "there are %d calls, more than %d", len(in.Calls), greatestBatch)
	}
	room := a.options.MaxResultBytes - batchReserve*(1+len(in.Calls))
	out := CallReadToolsBatchOut{Total: len(in.Calls), Results: []BatchRow{}}
	for _, call := range in.Calls {
		row, used := a.batchRow(ctx, call, room)
		room -= used
		out.Results = append(out.Results, row)
		if row.Error == nil {
			continue
		}
		out.Failed++
		out.Truncated = out.Truncated || row.Error.Code == fault.Capacity
		if in.OnError != "continue" {
			break
		}
	}
	return out, nil
}

// batchRow makes one call, whose result may have so many bytes, and tells how many it takes.
func (a *App) batchRow(ctx context.Context, call BatchCall, room int) (row BatchRow, used int) {
	row.Tool = clipped(call.Tool)
	reached := lo.Filter(a.tools, func(t Tool, _ int) bool { return t.batched() })
	tool, ok := lo.Find(reached, func(t Tool) bool { return t.Name == call.Tool })
	var err error
	if !ok {
		names := lo.Map(reached, func(t Tool, _ int) string { return t.Name })
		err = fault.Invalidf("call one of: "+strings.Join(names, ", "), "a batch reaches no tool %q", row.Tool)
	} else {
		_, row.Result, err = a.perform(ctx, tool, call.Arguments, room)
	}
	if err != nil {
		row.Error = new(tool.Failure(err))
		return row, len(row.Error.Message) + len(row.Error.Recovery) // mostly within the reserve
	}
	return row, len(row.Result)
}

// batched reports whether a batch reaches the tool: it only looks, and it does not wait for anything.
func (t Tool) batched() bool {
	return t.Toolset == surface.Inspect && !t.Waits && t.Name != "call_read_tools_batch"
}
