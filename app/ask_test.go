package app_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/fake"
	"github.com/libtmux-mcp/libtmux-mcp/app"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// watchedShell is a pane with an idle shell that a person sees, and was listed.
func (h *house) watchedShell() tmux.PaneID {
	h.Helper()
	pane := h.shell()
	h.world.Attach(h.world.SessionOf(pane), fake.Client{})
	h.list()
	return pane
}

// list acknowledges the tmux that runs.
func (h *house) list() {
	h.Helper()
	if _, err := h.asked("list_panes", nil, nil); err != nil {
		h.Fatal(err)
	}
}

// asked calls a tool as JSON, and lets it ask a person.
func (h *house) asked(tool string, person ports.Person, arguments map[string]any) (any, error) {
	h.Helper()
	text, err := json.Marshal(arguments)
	if err != nil {
		h.Fatal(err)
	}
	ctx := h.Context()
	if person != nil {
		ctx = app.WithPerson(ctx, person)
	}
	return h.app.Call(ctx, tool, text)
}

// What was looked at before the question counts for nothing after it.
func TestGuardsAreLookedAtAgainAfterAsking(t *testing.T) {
	tests := []struct {
		name     string
		meantime func(h *house, pane tmux.PaneID)
		kind     fault.Kind
		reason   fault.Reason
	}{
		{"the person scrolls back", func(h *house, pane tmux.PaneID) { h.world.EnterMode(pane, "copy-mode") }, fault.Refused, fault.InMode},
		{"input is turned off", func(h *house, pane tmux.PaneID) { h.world.SetInput(pane, false) }, fault.Refused, fault.InputOff},
		{"the pane is gone", func(h *house, pane tmux.PaneID) {
			h.world.AddSession("other")
			h.world.KillPane(pane)
		}, fault.NotFound, ""},
		{"tmux restarts", func(h *house, _ tmux.PaneID) { h.world.Restart("main") }, fault.StaleTarget, ""},
		{"tmux restarts and is listed", func(h *house, _ tmux.PaneID) {
			h.world.Restart("main")
			h.list()
		}, fault.StaleTarget, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			inHouse(t, fake.Options{}, func(h *house) {
				pane := h.watchedShell()
				person := &fake.Person{Will: ports.Agreed, Then: func() {
					time.Sleep(time.Minute)
					test.meantime(h, pane)
				}}
				_, err := h.asked("send_keys", person, map[string]any{"pane_id": pane, "text": "x"})
				h.wantFault(err, test.kind, test.reason)
				if strings.Contains(fmt.Sprint(h.world), "$ x") {
					h.Errorf("typed:\n%s", h.world)
				}
			})
		})
	}
}

// Each exception is asked for by itself, and only those that stop the call.
func TestEachExceptionIsAskedFor(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		pane := h.watchedShell()
		h.world.AddSession("other")
		h.world.SetCaller(pane, ports.CallerAncestor)
		person := &fake.Person{Will: ports.Agreed}
		out, err := h.asked("kill_session", person, map[string]any{"session_id": h.world.SessionOf(pane)})
		if err != nil {
			h.Fatal(err)
		}
		var reasons []fault.Reason
		for _, question := range person.Asked() {
			reasons = append(reasons, question.Reason)
		}
		if diff := cmp.Diff([]fault.Reason{fault.HoldsCaller, fault.Attended}, reasons); diff != "" {
			h.Errorf("asked (-want +got):\n%s", diff)
		}
		if killed := out.(app.KillOut); !cmp.Equal(killed.Panes, []string{string(pane)}) {
			h.Errorf("killed %v", killed)
		}
	})
}

// Nobody is asked for what no yes would allow, or for a tool's own confirmation that was given.
func TestWhatIsNotAsked(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		pane := h.watchedShell()
		person := &fake.Person{Will: ports.Agreed}
		if _, err := h.asked("send_keys", person, map[string]any{"pane_id": pane, "text": "x", "confirm_attended": true}); err != nil {
			h.Error(err)
		}
		h.world.EnterMode(pane, "copy-mode")
		_, err := h.asked("send_keys", person, map[string]any{"pane_id": pane, "text": "x", "confirm_attended": true})
		h.wantFault(err, fault.Refused, fault.InMode)
		_, err = h.asked("send_keys", person, map[string]any{"pane_id": "%99", "text": "x"})
		h.wantFault(err, fault.NotFound, "")
		if asked := person.Asked(); len(asked) > 0 {
			h.Errorf("asked %q", asked)
		}
	})
}

// A long text is shown by both its ends, and what would write on a terminal is shown as what it is.
func TestAQuestionHidesNothing(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		pane := h.watchedShell()
		h.world.Print(pane, "\r\nA yes counts\u202e twice.")
		person := &fake.Person{Will: ports.Declined}
		text := "echo begin\x1b[2J\n" + strings.Repeat("x", 5000) + "rm -r /"
		_, err := h.asked("send_keys", person, map[string]any{"pane_id": pane, "text": text, "enter": true})
		h.wantFault(err, fault.Refused, fault.Attended)
		asked := person.Asked()
		if len(asked) != 1 {
			h.Fatalf("asked %q", asked)
		}
		for _, want := range []string{`text: "echo begin\x1b[2J\nxxx`, " ... 4022 bytes ... ", `xxxrm -r /"`, "\n  enter: true\n", `shows "A yes counts\u202e twice."`} {
			if !strings.Contains(asked[0].Text, want) {
				h.Errorf("want %q in:\n%s", want, asked[0].Text)
			}
		}
		if len(asked[0].Text) > 2000 {
			h.Errorf("%d bytes for a person to read", len(asked[0].Text))
		}
	})
}

// Who agrees to the end of many panes is told how many there are.
func TestAQuestionTellsOfAll(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		pane := h.watchedShell()
		session := h.world.SessionOf(pane)
		h.world.AddSession("other")
		for range 6 {
			if _, err := h.asked("create_window", nil, map[string]any{"session_id": session}); err != nil {
				h.Fatal(err)
			}
		}
		person := &fake.Person{Will: ports.Declined}
		_, err := h.asked("kill_session", person, map[string]any{"session_id": session})
		h.wantFault(err, fault.Refused, fault.Attended)
		if text := person.Asked()[0].Text; strings.Count(text, "\nPane ") != 4 || !strings.Contains(text, "\nPanes besides: 3.\n") {
			h.Errorf("asked:\n%s", text)
		}
	})
}

func TestAnAnswerIsAudited(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		pane := h.watchedShell()
		var entries []app.AuditEntry
		a := app.New(h.ports(h.world), app.Options{Audit: func(e app.AuditEntry) { entries = append(entries, e) }})
		defer a.Close()
		for _, answer := range []ports.Answer{ports.Agreed, ports.Declined} {
			ctx := app.WithPerson(h.Context(), &fake.Person{Will: answer, Then: func() { time.Sleep(time.Second) }})
			_, _ = a.Call(ctx, "paste_text", fmt.Appendf(nil, `{"pane_id":%q,"text":"x"}`, pane))
		}
		for i := range entries {
			entries[i].Time = time.Time{}
		}
		want := []app.AuditEntry{
			{Tool: "paste_text", Target: string(pane), Outcome: "ok", Delivery: fault.Observed, Asked: ports.Agreed, DurationMS: 1000},
			{Tool: "paste_text", Target: string(pane), Outcome: "refused", Reason: fault.Attended, Delivery: fault.NotSent, Asked: ports.Declined, DurationMS: 1000},
		}
		if diff := cmp.Diff(want, entries); diff != "" {
			h.Errorf("(-want +got):\n%s", diff)
		}
	})
}
