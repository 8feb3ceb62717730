package porttest

import (
	"context"
	"maps"
	"strings"
	"testing"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// A creation makes a pane in which something starts.
type creation struct {
	name   string
	create func(ctx context.Context, w World, server tmux.Server, beside tmux.Pane, session tmux.SessionID, start ports.Start) (ports.Created, error)
}

var creations = []creation{
	{"NewSession", func(ctx context.Context, w World, server tmux.Server, _ tmux.Pane, _ tmux.SessionID, start ports.Start) (ports.Created, error) {
		return w.Ports().NewSession(ctx, ports.NewSession{In: server, Start: start})
	}},
	{"NewWindow", func(ctx context.Context, w World, server tmux.Server, _ tmux.Pane, session tmux.SessionID, start ports.Start) (ports.Created, error) {
		return w.Ports().NewWindow(ctx, server, ports.NewWindow{Session: session, Start: start})
	}},
	{"SplitWindow", func(ctx context.Context, w World, server tmux.Server, beside tmux.Pane, _ tmux.SessionID, start ports.Start) (ports.Created, error) {
		return w.Ports().SplitWindow(ctx, server, ports.SplitWindow{Pane: beside.ID, Start: start})
	}},
}

// starts is what every creation starts.
func starts(t *testing.T, newWorld func(t *testing.T) World) {
	for _, c := range creations {
		t.Run(c.name, func(t *testing.T) {
			begin := func(t *testing.T, w World) (tmux.Server, tmux.Pane, tmux.SessionID) {
				t.Helper()
				id := w.Session("main", Recorder)
				return topology(t, w).Server, pane(t, w, id), sessionOf(t, w, id)
			}
			runCases(t, newWorld, []testCase{
				{"a program, of one word and of several", func(t *testing.T, w World) {
					server, beside, session := begin(t, w)
					for _, argv := range [][]string{{"cat"}, {"sleep", "60"}} {
						created, err := c.create(bounded(t), w, server, beside, session, ports.Start{Argv: argv})
						succeeds(t, w, err)
						eventually(t, w, argv[0]+" runs", func() (bool, any) {
							got := pane(t, w, created.Pane)
							return got.Command == argv[0], got
						})
						if got := pane(t, w, created.Pane).StartCommand; !strings.Contains(got, argv[0]) {
							t.Errorf("start command %q", got)
						}
					}
				}},
				{"variables, as they are", func(t *testing.T, w World) {
					server, beside, session := begin(t, w)
					w.SetOption("", "default-shell", "/bin/sh") // others drop what is typed before their prompt
					variables := map[string]string{"LT_ONE": literal + `'"\;`, "LT_TWO": "", "LT_THREE": ";"}
					created, err := c.create(bounded(t), w, server, beside, session, ports.Start{Environment: variables})
					succeeds(t, w, err)
					pre := precondition(t, w, true, created.Pane)
					succeeds(t, w, w.Ports().SendText(bounded(t), pre, `printf '<%s>' "$LT_ONE" "${LT_TWO-unset}" "$LT_THREE"`, true))
					shows(t, w, created.Pane, "<"+variables["LT_ONE"]+"><><;>")
					got := map[string]string{}
					if c.name == "NewSession" {
						read, err := w.Ports().Environment(bounded(t), server, created.Session)
						succeeds(t, w, err)
						for _, variable := range read {
							if strings.HasPrefix(variable.Name, "LT_") {
								got[variable.Name] = variable.Value
							}
						}
						if !maps.Equal(variables, got) {
							t.Errorf("the session has %v, want %v", got, variables)
						}
					}
				}},
				{"what is more than tmux takes: nothing is created", func(t *testing.T, w World) {
					server, beside, session := begin(t, w)
					for _, start := range []ports.Start{
						{Argv: []string{"cat", strings.Repeat("x", 20<<10)}}, {Environment: map[string]string{"LT_ONE": strings.Repeat("x", 20<<10)}},
					} {
						unchanged(t, w, fault.InvalidInput, func() (ports.Created, error) { return c.create(bounded(t), w, server, beside, session, start) })
					}
				}},
				{"another life of the server is stale", func(t *testing.T, w World) {
					server, beside, session := begin(t, w)
					newLife(t, w, Recorder)
					unchanged(t, w, fault.StaleTarget, func() (ports.Created, error) { return c.create(bounded(t), w, server, beside, session, ports.Start{}) })
				}},
				{"no server: none is started", func(t *testing.T, w World) {
					server, beside, session := begin(t, w)
					w.Kill("")
					unchanged(t, w, fault.ServerGone, func() (ports.Created, error) { return c.create(bounded(t), w, server, beside, session, ports.Start{}) })
				}},
				{"how it got to tmux, if that can be told", func(t *testing.T, w World) {
					server, beside, session := begin(t, w)
					var way ports.Dispatch
					_, err := c.create(ports.WithDispatch(bounded(t), &way), w, server, beside, session, ports.Start{})
					succeeds(t, w, err)
					if way.ClientExitStatus != nil && *way.ClientExitStatus != 0 {
						t.Errorf("exit status %d of what succeeded", *way.ClientExitStatus)
					}
				}},
			})
		})
	}
}
