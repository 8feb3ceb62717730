package app_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/fake"
	"github.com/libtmux-mcp/libtmux-mcp/app"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// generation is that of the server that runs now.
func (h *house) generation() string {
	h.Helper()
	return h.reference("").Generation
}

// wantEffects fails unless err is that fault and says so of what it did.
func (h *house) wantEffects(err error, kind fault.Kind, reason fault.Reason, want fault.Effects) {
	h.Helper()
	f := h.wantFault(err, kind, reason)
	if f.Effects == nil {
		h.Fatalf("%v does not tell its effects", f)
	}
	if diff := cmp.Diff(want, *f.Effects); diff != "" {
		h.Errorf("effects of %v (-want +got):\n%s", f, diff)
	}
}

var noEffects = fault.Effects{State: "none"}

// wordy is a program that looks as if a shell had to read it.
const wordy = "a b; $(exit) #{pane_id}"

func TestACreationAnswersAllItsReferences(t *testing.T) {
	for _, c := range []struct {
		name string
		in   app.TmuxCreateIn
		want []tmux.Ref
	}{
		{"a session", app.TmuxCreateIn{Kind: "session", Name: "#{x}", Width: 100, Height: 30}, []tmux.Ref{{Kind: "session", ID: "$1"}, {Kind: "window", ID: "@1"}, {Kind: "pane", ID: "%1"}}},
		{"a window", app.TmuxCreateIn{Kind: "window", ParentID: "$0", Name: "#{x}", Index: new(7)}, []tmux.Ref{{Kind: "window", ID: "@1"}, {Kind: "pane", ID: "%1"}}},
		{"a pane", app.TmuxCreateIn{Kind: "pane", ParentID: "%0", Direction: "left", Size: "30%", Focus: true}, []tmux.Ref{{Kind: "pane", ID: "%1"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			inHouse(t, fake.Options{}, func(h *house) {
				h.shell()
				c.in.Generation = h.generation()
				h.world.Install(wordy, func(ctx context.Context, p *fake.Process) int {
					_, _ = fmt.Fprintf(p.Stdout, "%q", p.Args)
					<-ctx.Done()
					return 0
				})
				for i, argv := range [][]string{{wordy}, {wordy, "", "$HOME;"}} {
					in := c.in
					in.Argv = argv
					if i > 0 && in.Kind == "session" {
						in.Name = "another"
					}
					if i > 0 && in.Kind == "window" {
						in.Index = nil
					}
					out, err := h.app.TmuxCreate(h.Context(), in)
					if err != nil {
						t.Fatal(err)
					}
					if i == 0 {
						for i := range c.want {
							c.want[i].Generation = tmux.Generation(in.Generation)
						}
						want := app.TmuxCreateOut{
							Entity: in.Kind, Created: c.want, DispatchOut: app.DispatchOut{Delivery: fault.Observed}, ProgramCompletion: "unobserved",
						}
						if diff := cmp.Diff(want, out); diff != "" {
							t.Errorf("(-want +got):\n%s", diff)
						}
					}
					pane := tmux.PaneID(out.Created[len(out.Created)-1].ID)
					if err := h.world.Await(h.Context(), pane, "]"); err != nil {
						t.Fatal(err)
					}
					if got, want := strings.ReplaceAll(h.world.Screen(pane), "\n", ""), fmt.Sprintf("%q", argv); got != want {
						t.Errorf("the program got %s, want %s", got, want)
					}
				}
			})
		})
	}
}

func TestWhatIsCreatedHasItsEnvironment(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		h.shell()
		out, err := h.app.Call(h.Context(), "tmux_create", json.RawMessage(`{"kind":"session","environment":{"A":"x; $(y) #{z}","B":""}}`))
		if err != nil {
			t.Fatal(err)
		}
		session := out.(app.TmuxCreateOut)
		in := app.TmuxCreateIn{Kind: "window", Generation: h.generation(), ParentID: session.Created[0].ID, Environment: json.RawMessage(`{"B":"b"}`)}
		window, err := h.app.TmuxCreate(h.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		for pane, want := range map[string]string{session.Created[2].ID: "<x; $(y) #{z}><>", window.Created[1].ID: "<x; $(y) #{z}><b>"} {
			h.awaitPrompt(tmux.PaneID(pane))
			h.world.Type(tmux.PaneID(pane), `printf '<%s>' "$A" "${B-unset}"`+"\r")
			if err := h.world.Await(h.Context(), tmux.PaneID(pane), want); err != nil {
				t.Error(err)
			}
		}
	})
}

func TestACreationThatCannotBe(t *testing.T) {
	long := strings.Repeat("x", 65537)
	for name, c := range map[string]struct {
		arguments, says string
	}{
		"no kind":                        {`{}`, "argument kind is missing"},
		"another kind":                   {`{"kind":"client"}`, "kind"},
		"a window without a session":     {`{"kind":"window","generation":"GEN"}`, "parent_id is empty"},
		"a window without a generation":  {`{"kind":"window","parent_id":"$0"}`, "generation is empty"},
		"a window in a pane":             {`{"kind":"window","generation":"GEN","parent_id":"%0"}`, "parent_id"},
		"a pane in a window":             {`{"kind":"pane","generation":"GEN","parent_id":"@0"}`, "parent_id"},
		"a pane by index":                {`{"kind":"pane","generation":"GEN","parent_id":"0"}`, "is an index"},
		"a session of a session":         {`{"kind":"session","parent_id":"$0"}`, "parent_id is for a window or a pane, not for a session"},
		"a named pane":                   {`{"kind":"pane","generation":"GEN","parent_id":"%0","name":"x"}`, "name is for a session or a window"},
		"a session at an index":          {`{"kind":"session","index":0}`, "index is for a window"},
		"a window beside":                {`{"kind":"window","generation":"GEN","parent_id":"$0","direction":"below"}`, "direction is for a pane"},
		"a sized window":                 {`{"kind":"window","generation":"GEN","parent_id":"$0","size":"10"}`, "size is for a pane"},
		"a wide pane":                    {`{"kind":"pane","generation":"GEN","parent_id":"%0","width":10}`, "width is for a session"},
		"a high window":                  {`{"kind":"window","generation":"GEN","parent_id":"$0","height":10}`, "height is for a session"},
		"a session in front":             {`{"kind":"session","focus":true}`, "focus is for a window or a pane"},
		"a target as a name":             {`{"kind":"session","name":"a:b"}`, "holds : or ."},
		"a control character":            {`{"kind":"session","name":"a\tb"}`, "control character"},
		"a name that exists":             {`{"kind":"session","name":"main"}`, "main"},
		"a size that is none":            {`{"kind":"pane","generation":"GEN","parent_id":"%0","size":"#{x}"}`, "neither cells nor a percentage"},
		"a relative directory":           {`{"kind":"session","cwd":"tmp"}`, "is relative"},
		"no directory":                   {`{"kind":"session","cwd":"/nonexistent/#{x}"}`, "is not a directory"},
		"an index that is taken":         {`{"kind":"window","generation":"GEN","parent_id":"$0","index":0}`, "index 0"},
		"no program":                     {`{"kind":"session","argv":[]}`, "argv"},
		"an empty program":               {`{"kind":"session","argv":[""]}`, "argv[0] is empty"},
		"a number as an argument":        {`{"kind":"session","argv":["x",1]}`, "argv[1]"},
		"a NUL":                          {`{"kind":"session","argv":["x","a\u0000"]}`, "holds a NUL"},
		"too many arguments":             {`{"kind":"session","argv":["x"` + strings.Repeat(`,"y"`, 256) + `]}`, "argv"},
		"arguments that are too long":    {`{"kind":"session","argv":["x","` + long + `"]}`, "more than 65536"},
		"more than tmux takes":           {`{"kind":"session","argv":["x","` + long[:20000] + `"]}`, "20002 bytes"},
		"variables in a list":            {`{"kind":"session","environment":["A=b"]}`, "environment"},
		"a variable that is no text":     {`{"kind":"session","environment":{"A":1}}`, "environment.A is not a text"},
		"a variable that is null":        {`{"kind":"session","environment":{"A":null}}`, "environment.A"},
		"a variable given twice":         {`{"kind":"session","environment":{"A":"x","A":"y"}}`, "given twice"},
		"a variable without a name":      {`{"kind":"session","environment":{"":"x"}}`, `the name ""`},
		"a variable with a value in it":  {`{"kind":"session","environment":{"A=B":"x"}}`, `the name "A=B"`},
		"a variable that tmux sets":      {`{"kind":"session","environment":{"TMUX_PANE":"%9"}}`, "tmux sets TMUX_PANE itself"},
		"a path":                         {`{"kind":"session","environment":{"PATH":"/x"}}`, "tmux sets PATH itself"},
		"variables that are too long":    {`{"kind":"session","environment":{"A":"` + long + `"}}`, "more than 65536"},
		"an argument of another tool":    {`{"kind":"session","pane_id":"%0"}`, `unknown argument "pane_id"`},
		"a name in the place of another": {`{"kind":"session","window_name":"x"}`, `unknown argument "window_name"`},
	} {
		t.Run(name, func(t *testing.T) {
			inHouse(t, fake.Options{}, func(h *house) {
				h.shell()
				before := h.world.String()
				_, err := h.call("tmux_create", strings.ReplaceAll(c.arguments, "GEN", h.generation()))
				if f := h.wantFault(err, fault.InvalidInput, ""); !strings.Contains(f.Error(), c.says) || len(f.Error()) > 400 {
					t.Errorf("%v: want that it says %q, and no more than that", f, c.says)
				}
				if after := h.world.String(); after != before {
					t.Errorf("something changed:\n%s\nwas\n%s", after, before)
				}
			})
		})
	}
}

func TestACreationKnowsItsEffects(t *testing.T) {
	fails := func(f *fault.Error) func(p *app.Ports) {
		return func(p *app.Ports) { p.Creator = uncreating{p.Creator, f} }
	}
	for name, c := range map[string]struct {
		change func(*app.Ports)
		kind   fault.Kind
		want   fault.Effects
	}{
		"nothing was sent": {fails(&fault.Error{Kind: fault.Cancelled, Message: "m", Recovery: "r", Delivery: fault.NotSent}), fault.Cancelled, noEffects},
		"the answer is lost": {
			fails(&fault.Error{Kind: fault.Deadline, Message: "m", Recovery: "r", Delivery: fault.PossiblySent}), fault.Deadline,
			fault.Effects{State: "unknown"},
		},
		"half of it is done": {
			fails(&fault.Error{Kind: fault.Cancelled, Message: "m", Recovery: "r", Delivery: fault.Observed, Effects: &fault.Effects{State: "known", Created: []string{"$1", "@1", "%1"}}}),
			fault.Cancelled,
			fault.Effects{State: "known", Created: []string{"$1", "@1", "%1"}},
		},
		"tmux says something": {
			fails(&fault.Error{Kind: fault.CommandFailed, Message: "m", Recovery: "r", Delivery: fault.Observed}), fault.CommandFailed,
			fault.Effects{State: "unknown"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			inHouse(t, fake.Options{}, func(h *house) {
				h.shell()
				a := h.with(c.change)
				for _, in := range []app.TmuxCreateIn{
					{Kind: "session"}, {Kind: "window", Generation: h.generation(), ParentID: "$0"}, {Kind: "pane", Generation: h.generation(), ParentID: "%0"},
				} {
					_, err := a.TmuxCreate(h.Context(), in)
					h.wantEffects(err, c.kind, "", c.want)
				}
			})
		})
	}
	inHouse(t, fake.Options{}, func(h *house) {
		h.shell()
		ctx, cancel := context.WithCancel(h.Context())
		cancel()
		_, err := h.app.TmuxCreate(ctx, app.TmuxCreateIn{Kind: "session"})
		h.wantEffects(err, fault.Cancelled, "", noEffects)
	})
}

// An uncreating creator answers a fault to every creation.
type uncreating struct {
	ports.Creator
	fault *fault.Error
}

func (f uncreating) NewSession(context.Context, ports.NewSession) (ports.Created, error) {
	return ports.Created{}, f.fault
}

func (f uncreating) NewWindow(context.Context, tmux.Server, ports.NewWindow) (ports.Created, error) {
	return ports.Created{}, f.fault
}

func (f uncreating) SplitWindow(context.Context, tmux.Server, ports.SplitWindow) (ports.Created, error) {
	return ports.Created{}, f.fault
}

func TestASessionIsCreatedInTheLifeThatIsNamed(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		first, err := h.app.TmuxCreate(h.Context(), app.TmuxCreateIn{Kind: "session", Name: "main"})
		if err != nil || !first.ServerStarted {
			t.Fatalf("without a server: %+v, %v", first, err)
		}
		old := h.generation()
		h.world.Restart("main")
		before := h.world.String()
		_, err = h.app.TmuxCreate(h.Context(), app.TmuxCreateIn{Kind: "session", Generation: old})
		h.wantEffects(err, fault.StaleTarget, "", noEffects)
		if after := h.world.String(); after != before {
			t.Errorf("something changed:\n%s\nwas\n%s", after, before)
		}
		h.world.KillServer()
		_, err = h.app.TmuxCreate(h.Context(), app.TmuxCreateIn{Kind: "session", Generation: old})
		h.wantEffects(err, fault.StaleTarget, "", noEffects)
		if read, err := h.world.Topology(h.Context(), tmux.DetailBrief); err != nil || read.Running {
			t.Errorf("a server was started for a life that is over: %+v, %v", read.Server, err)
		}
	})
}
