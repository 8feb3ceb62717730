package app_test

import (
	"context"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/fake"
	"github.com/libtmux-mcp/libtmux-mcp/app"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/surface"
)

// ungated are the methods that are no use of a tool: they tell what is on offer, or keep to it themselves.
var ungated = []string{"Answer", "Call", "Capabilities", "ReadResource"}

// uses calls every exported method of an application that takes a context, with nothing else in its arguments, and gives what each
// answers. A method that reaches a port panics: there is none.
func uses(t *testing.T, a *app.App) map[string]error {
	t.Helper()
	value, answers := reflect.ValueOf(a), map[string]error{}
	for method := range value.Type().Methods() {
		of := method.Type
		if of.NumIn() < 2 || of.In(1) != reflect.TypeFor[context.Context]() || slices.Contains(ungated, method.Name) {
			continue
		}
		arguments := []reflect.Value{value, reflect.ValueOf(t.Context())}
		for i := 2; i < of.NumIn(); i++ {
			arguments = append(arguments, reflect.Zero(of.In(i)))
		}
		func() {
			defer func() {
				if r := recover(); r != nil {
					t.Errorf("%s is not selected, but reaches a port (%v): begin it with a.admit", method.Name, r)
				}
			}()
			results := method.Func.Call(arguments)
			answers[method.Name], _ = reflect.TypeAssert[error](results[len(results)-1])
		}()
	}
	return answers
}

// What is not selected is denied to Go callers too, whichever method they find. The test walks the methods, so that a later one
// cannot escape.
func TestWhatIsNotSelectedIsDeniedToGoCallers(t *testing.T) {
	a := app.New(app.Ports{}, app.Options{Surface: frozen(t, app.Members(), surface.Wish{Toolsets: new("")}, "")})
	defer a.Close()
	denied := map[string]string{}                   // methods by tool
	parts := []string{"InviteShell", "AcceptShell"} // of tmux_run
	for method, err := range uses(t, a) {
		f, ok := errors.AsType[*fault.Error](err)
		if !ok || f.Kind != fault.Unsupported || f.Delivery != "" || !strings.Contains(f.Message, "is not on offer") {
			t.Errorf("%s: got %v, want that it is not on offer", method, err)
			continue
		}
		if !strings.Contains(f.Recovery, "add "+f.Op+" to "+surface.ToolsVariable) || !strings.Contains(f.Recovery, "embeds") {
			t.Errorf("%s: %q does not say how to enable %s", method, f.Recovery, f.Op)
		}
		if slices.Contains(parts, method) && f.Op == "tmux_run" {
			continue
		}
		denied[f.Op] = method
	}
	var names []string
	for _, m := range app.Members() {
		names = append(names, m.Name)
	}
	slices.Sort(names)
	if diff := cmp.Diff(names, slices.Sorted(maps.Keys(denied))); diff != "" {
		t.Errorf("tools that a method is denied for (-catalogue +methods):\n%s", diff)
	}
	for tool, method := range denied {
		if want := strings.ReplaceAll(tool, "_", ""); !strings.EqualFold(method, want) {
			t.Errorf("%s asks for %s", method, tool)
		}
	}
}

// An admission to one tool, or of one application, is none to another.
func TestAnAdmissionIsForOneTool(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		h.shell()
		a := h.offering(frozen(t, app.Members(), surface.Wish{Toolsets: new(""), Tools: "call_read_tools_batch,kill_pane"}, ""))
		out, err := a.CallReadToolsBatch(h.Context(), app.CallReadToolsBatchIn{Calls: []app.BatchCall{{Tool: "list_panes"}}})
		if err != nil || len(out.Results) != 1 || out.Results[0].Error == nil || out.Results[0].Error.Code != fault.InvalidInput {
			t.Errorf("a batch reached what is withheld: %+v, %v", out, err)
		}
		_, err = a.ListPanes(h.Context(), app.ListPanesIn{})
		h.wantFault(err, fault.Unsupported, "")
	})
}

func TestARecoverySaysWhatIsMissing(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		h.shell()
		for _, c := range []struct{ tools, want string }{
			{"capture_pane,list_panes", `call list_panes and pass an id such as "%1"`},
			{"capture_pane", `call list_panes and pass an id such as "%1" (not on offer here: list_panes; whoever starts this server can enable it, tmux://capabilities says how)`},
		} {
			a := h.offering(frozen(t, app.Members(), surface.Wish{Toolsets: new(""), Tools: c.tools}, ""))
			_, err := a.Call(h.Context(), "capture_pane", []byte(`{"pane_id":"1"}`))
			if f := h.wantFault(err, fault.InvalidInput, ""); f.Recovery != c.want {
				t.Errorf("with %s: %q, want %q", c.tools, f.Recovery, c.want)
			}
		}
	})
}
