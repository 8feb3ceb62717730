package app_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/fake"
	"github.com/libtmux-mcp/libtmux-mcp/app"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

func TestAudit(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		pane := h.shell()
		less := h.world.AddWindow(h.world.SessionOf(pane), "w", "less")
		var entries []app.AuditEntry
		a := app.New(app.Ports{
			Reader: h.world, Events: h.world, Input: h.world, Creator: h.world, Terminator: h.world, Processes: h.world, Identity: h.world, Frames: h.world,
		}, app.Options{Audit: func(e app.AuditEntry) { entries = append(entries, e) }})
		defer a.Close()
		began := time.Now()
		call := func(tool, arguments string) any {
			out, _ := a.Call(h.Context(), tool, json.RawMessage(arguments)) // failures are entries too
			return out
		}
		call("list_panes", `{}`)
		run := call("run_shell_command", fmt.Sprintf(`{"pane_id":%q,"command":"sleep 2; echo secret"}`, pane)).(app.RunOut)
		call("get_run", fmt.Sprintf(`{"run_id":%q}`, run.RunID))
		call("run_shell_command", fmt.Sprintf(`{"pane_id":%q,"command":"echo secret"}`, less))
		call("send_keys", fmt.Sprintf(`{"pane_id":%q,"text":"secret"}`, less))
		call("wait_for_text", fmt.Sprintf(`{"pane_id":%q,"patterns":["secret never"],"timeout":3}`, less))
		call("capture_pane", `{"pane_id":"secret"}`)
		call("get_run", `{"run_id":"secret"}`)
		created := call("create_session", `{"name":"secret"}`).(app.CreateSessionOut)
		call("nothing_of_the_kind", `{}`)
		want := []app.AuditEntry{
			{Tool: "list_panes", Outcome: "ok"},
			{Tool: "run_shell_command", Target: string(pane), Outcome: "completed", Delivery: "observed", DurationMS: run.DurationMS},
			{Tool: "get_run", Target: run.RunID, Outcome: "completed"},
			{Tool: "run_shell_command", Target: string(less), Outcome: "refused", Reason: "not_a_shell", Delivery: "not_sent"},
			{Tool: "send_keys", Target: string(less), Outcome: "ok", Delivery: "observed"},
			{Tool: "wait_for_text", Target: string(less), Outcome: "timed_out", DurationMS: 3000},
			{Tool: "capture_pane", Outcome: "invalid_input", Delivery: "not_sent"},
			{Tool: "get_run", Outcome: "not_found", Delivery: "not_sent"},
			{Tool: "create_session", Target: created.PaneID, Outcome: "ok", Delivery: "observed"},
		}
		text, err := json.Marshal(entries)
		if err != nil || strings.Contains(string(text), "secret") {
			t.Errorf("%s, %v", text, err)
		}
		for i := range entries {
			if entries[i].Time.Before(began) || entries[i].Time.After(time.Now()) {
				t.Errorf("%+v: want a time since %v", entries[i], began)
			}
			entries[i].Time = time.Time{}
			if entries[i].Tool == "run_shell_command" && entries[i].DurationMS >= 2000 {
				entries[i].DurationMS = run.DurationMS // of the command alone
			}
		}
		if diff := cmp.Diff(want, entries, ignoreShort); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// ignoreShort takes what a call that does not wait costs for nothing.
var ignoreShort = cmp.Comparer(func(a, b int64) bool { return a == b || max(a, b) < 1000 })

// A panicking server of panes is a defect, and its call an entry.
type panicking struct{ ports.Reader }

func (panicking) Topology(context.Context, tmux.Detail) (tmux.Topology, error) { panic("a defect") }

func TestAuditOfAPanic(t *testing.T) {
	var entries []string
	a := app.New(app.Ports{Reader: panicking{}}, app.Options{Audit: func(e app.AuditEntry) { entries = append(entries, e.Tool+" "+e.Outcome) }})
	defer a.Close()
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic was swallowed")
			}
		}()
		_, _ = a.Call(t.Context(), "list_panes", nil) // panics
	}()
	if want := []string{"list_panes internal"}; !slices.Equal(want, entries) {
		t.Errorf("got %v, want %v", entries, want)
	}
}
