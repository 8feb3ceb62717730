package mcpserver_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/fake"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/mcpserver"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/mcpserver/mcptest"
	"github.com/libtmux-mcp/libtmux-mcp/app"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
)

// A script by a client: its result fits its schema, which mcptest sees to, and its error has the receipt.
func TestScriptConversation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		world := fake.New(fake.Options{Shell: guard.Zsh})
		t.Cleanup(world.Close)
		application := app.New(app.Ports{
			Reader: world, Processes: world, Identity: world, Enrollments: world, Authorizer: world,
		}, app.Options{})
		t.Cleanup(application.Close)
		c := mcptest.Serve(t, mcpserver.New(t.Context(), application, mcpserver.Options{}))
		pane := string(world.AddSession("main"))
		generation := c.Must(t, "tmux_capabilities", nil)["server"].(object)["generation"].(string)

		arguments := object{"generation": generation, "target_id": pane, "script": "echo a; printf '\\377' >&2; exit 3"}
		if _, failure := c.Call(t, "tmux_run", arguments); failure == nil || failure.Code != fault.NotFound {
			t.Errorf("before it is enrolled: %+v", failure)
		}
		invitation, err := application.InviteShell(t.Context(), app.Reference{Generation: generation, TargetID: pane}, app.InviteOptions{})
		if err != nil {
			t.Fatal(err)
		}
		world.Type("%0", strings.Join(invitation.ShellArguments(), " ")+"\r")
		if err := application.AcceptShell(t.Context(), invitation); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		want := object{
			"exit_status": 3.0, "stdout": object{"encoding": "utf-8", "data": "a\n"}, "stderr": object{"encoding": "base64", "data": "/w=="},
		}
		out := c.Must(t, "tmux_run", arguments)
		if diff := cmp.Diff(want, pick(out, want)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		arguments["stdout_limit"] = 1
		_, failure := c.Call(t, "tmux_run", arguments)
		if failure == nil || failure.Code != fault.Capacity || failure.Delivery != fault.Observed || !strings.Contains(failure.Text, `"completion":"unobserved"`) ||
			!strings.Contains(failure.Text, `"script_digest":"`) {
			t.Errorf("more than its limit: %+v", failure)
		}
		// The most output that may be asked for is one answer.
		arguments["script"], arguments["stdout_limit"], arguments["stderr_limit"] = "seq 1 37000; seq 1 37000 >&2", 262144, 262144
		if out := c.Must(t, "tmux_run", arguments); len(out["stdout"].(object)["data"].(string)) != 210894 {
			t.Errorf("%d bytes", len(out["stdout"].(object)["data"].(string)))
		}
	})
}
