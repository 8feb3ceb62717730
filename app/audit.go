package app

import (
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/samber/lo"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// An AuditEntry is one call that has ended. It holds nothing that was typed, shown or named by the caller: tools, ids and words
// of this application alone.
type AuditEntry struct {
	Time       time.Time      `json:"time"` // when the call began
	Tool       string         `json:"tool"`
	Target     string         `json:"target,omitempty"` // ids of the arguments, or else of what was created; commas separate them
	Outcome    string         `json:"outcome"`          // ok, the outcome of a wait or a run, or the code of an error
	Reason     fault.Reason   `json:"reason,omitempty"`
	Delivery   fault.Delivery `json:"delivery,omitempty"` // of a call that failed, or that may have changed something
	Asked      ports.Answer   `json:"asked,omitempty"`    // what the person said who was asked last
	DurationMS int64          `json:"duration_ms"`        // with the time in which a person was asked
}

// auditing begins an entry. The end that it returns takes what the call answered, which is nothing if it panicked.
func (a *App) auditing(tool Tool, arguments json.RawMessage) (end func(out any, err error, asked ports.Answer)) {
	if a.options.Audit == nil {
		return func(any, error, ports.Answer) {}
	}
	entry := AuditEntry{Time: time.Now(), Tool: tool.Name, Target: targetOf(arguments)}
	return func(out any, err error, asked ports.Answer) {
		entry.Asked = asked
		entry.DurationMS = time.Since(entry.Time).Milliseconds()
		f, failed := errors.AsType[*fault.Error](err)
		switch {
		case failed:
			entry.Outcome, entry.Reason, entry.Delivery = string(f.Kind), f.Reason, lo.CoalesceOrEmpty(f.Delivery, fault.NotSent)
		case out == nil:
			entry.Outcome, entry.Delivery = string(fault.Internal), fault.PossiblySent
		default:
			entry.Outcome = lo.CoalesceOrEmpty(textField(out, "Outcome"), "ok")
			entry.Target = lo.CoalesceOrEmpty(entry.Target, textField(out, "PaneID"))
			if tool.changes() {
				entry.Delivery = fault.Observed
			}
		}
		a.options.Audit(entry)
	}
}

// anID is an id of tmux, or one of a run as frame.NewRunID makes it.
var anID = regexp.MustCompile(`^([%@$][0-9]{1,10}|[a-z2-7]{16})$`)

// targetOf are the ids in a call's arguments, in the order of the arguments' names. What is no id is left out, whatever the
// argument is called.
func targetOf(arguments json.RawMessage) string {
	var values map[string]any
	if json.Unmarshal(arguments, &values) != nil {
		return "" // the call is refused for it
	}
	var ids []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		id, ok := values[name].(string)
		if ok && strings.HasSuffix(name, "_id") && anID.MatchString(id) {
			ids = append(ids, id)
		}
	}
	return strings.Join(ids, ",")
}

// textField is the text in a struct's field of that name; empty if there is none.
func textField(out any, name string) string {
	value := reflect.ValueOf(out)
	if value.Kind() != reflect.Struct {
		return ""
	}
	if field := value.FieldByName(name); field.IsValid() && field.Kind() == reflect.String {
		return field.String()
	}
	return ""
}
