package app

import (
	"encoding/base64"
	"time"
	"unicode/utf8"

	"github.com/libtmux-mcp/libtmux-mcp/domain/frame"
	"github.com/libtmux-mcp/libtmux-mcp/domain/wait"
)

// A RunOut is a run as far as it is known.
type RunOut struct {
	RunID      string     `json:"run_id" jsonschema:"for get_run, for 24 hours"`
	PaneID     string     `json:"pane_id"`
	Generation string     `json:"generation"`
	Outcome    string     `json:"outcome" enum:"completed,timed_out,interrupted,stopped,pane_gone,pane_died,server_gone" jsonschema:"timed_out: the wait ended, the command goes on; stopped: C-z, fg continues it"`
	Started    bool       `json:"started" jsonschema:"false: the shell did not come to it, and it will never run"`
	ExitStatus *int       `json:"exit_status,omitempty" jsonschema:"as the shell has it; absent while unknown"`
	Lines      []string   `json:"lines,omitzero" jsonschema:"untrusted output as the screen has it; not with streams"`
	Stdout     *StreamOut `json:"stdout,omitempty"`
	Stderr     *StreamOut `json:"stderr,omitempty"`
	Complete   bool       `json:"complete" jsonschema:"the output, with what truncated says was dropped, is all that the command wrote"`
	Reason     string     `json:"reason,omitempty" enum:"trimmed,cleared,alternate_screen,unattended,shell_gone" jsonschema:"why it is not complete"`
	Truncation
	Cursor           string  `json:"cursor,omitempty" jsonschema:"behind this output, for capture_since and wait_for_text"`
	ClearedDraft     *string `json:"cleared_draft,omitempty" jsonschema:"what stood at the prompt and was discarded, as far as it could be told"`
	PromptAssumed    bool    `json:"prompt_assumed,omitempty" jsonschema:"first contact: the prompt was taken for empty by its look alone"`
	DurationMS       int64   `json:"duration_ms" jsonschema:"until its end, or until now"`
	EffectiveTimeout float64 `json:"effective_timeout" jsonschema:"seconds"`
	TimeoutClamped   bool    `json:"timeout_clamped,omitempty" jsonschema:"more was asked for"`
}

// A StreamOut is what a command wrote to one of its outputs.
type StreamOut struct {
	Encoding     string `json:"encoding" enum:"utf-8,base64"`
	Data         string `json:"data" jsonschema:"untrusted"`
	Truncated    bool   `json:"truncated" jsonschema:"older bytes were left out"`
	DroppedBytes int64  `json:"dropped_bytes,omitempty"`
}

// describeRecord words a record within bounds. The same record and bounds give the same answer.
func describeRecord(record frame.Record, bounding Bounding, deadline wait.Deadline) RunOut {
	out := RunOut{
		RunID: record.RunID, PaneID: string(record.Pane), Generation: string(record.Generation),
		Outcome: string(record.Outcome), Started: record.Started, ExitStatus: record.Status,
		Complete: record.Complete, Reason: string(record.Reason), Cursor: record.Cursor,
		EffectiveTimeout: deadline.Timeout.Seconds(), TimeoutClamped: deadline.Clamped,
	}
	ended := record.EndedAt
	if ended == 0 { // it goes on
		ended = time.Now().UnixMilli()
	}
	out.DurationMS = ended - record.StartedAt
	switch {
	case !record.Streamed && record.Lines == nil:
		return out
	case !record.Streamed:
		out.Lines, out.Truncation = bounded(record.Lines, record.Dropped, bounding)
		return out
	}
	out.Stdout, out.Stderr = describeStream(record.Stdout, bounding), describeStream(record.Stderr, bounding)
	out.Truncated = out.Stdout.Truncated || out.Stderr.Truncated
	return out
}

// describeStream keeps the newest bytes, from the start of a character if they are text.
func describeStream(s frame.Stream, bounding Bounding) *StreamOut {
	data := s.Data[max(0, len(s.Data)-bounding.bounds().Bytes):]
	if len(data) < len(s.Data) && utf8.Valid(s.Data) {
		for len(data) > 0 && !utf8.RuneStart(data[0]) {
			data = data[1:]
		}
	}
	dropped := s.Total - int64(len(data))
	out := &StreamOut{Encoding: "utf-8", Data: string(data), Truncated: dropped > 0, DroppedBytes: dropped}
	if !utf8.Valid(data) {
		out.Encoding, out.Data = "base64", base64.StdEncoding.EncodeToString(data)
	}
	return out
}
