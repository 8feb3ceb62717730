package app_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/fake"
	"github.com/libtmux-mcp/libtmux-mcp/app"
	"github.com/libtmux-mcp/libtmux-mcp/domain/enroll"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
	"github.com/libtmux-mcp/libtmux-mcp/domain/surface"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports/porttest"
)

var zsh = fake.Options{Shell: guard.Zsh}

// reference names a pane of the server that runs now.
func (h *house) reference(pane tmux.PaneID) app.Reference {
	h.Helper()
	t, err := h.world.Topology(h.Context(), tmux.DetailBrief)
	if err != nil {
		h.Fatal(err)
	}
	return app.Reference{Generation: string(t.Server.Generation), TargetID: string(pane)}
}

func (h *house) invite(pane tmux.PaneID, options app.InviteOptions) *app.ShellInvitation {
	h.Helper()
	invitation, err := h.app.InviteShell(h.Context(), h.reference(pane), options)
	if err != nil {
		h.Fatal(err)
	}
	return invitation
}

// source types what enrolls a shell.
func (h *house) source(pane tmux.PaneID, invitation *app.ShellInvitation) {
	h.world.Type(pane, strings.Join(invitation.ShellArguments(), " ")+"\r")
}

// enrolled is a pane whose shell is enrolled, and at its prompt.
func (h *house) enrolled() tmux.PaneID {
	h.Helper()
	pane := h.shell()
	h.enroll(pane)
	return pane
}

func (h *house) enroll(pane tmux.PaneID) {
	h.Helper()
	invitation := h.invite(pane, app.InviteOptions{})
	h.source(pane, invitation)
	if err := h.app.AcceptShell(h.Context(), invitation); err != nil {
		h.Fatal(err)
	}
	h.awaitPrompt(pane)
}

func (h *house) script(pane tmux.PaneID, script string) (app.TmuxRunOut, error) {
	h.Helper()
	return h.app.TmuxRun(h.Context(), app.TmuxRunIn{Reference: h.reference(pane), Script: script})
}

func TestAScriptRunsWithAReceipt(t *testing.T) {
	inHouse(t, zsh, func(h *house) {
		pane := h.enrolled()
		before := h.world.String()
		out, err := h.script(pane, `printf 'a\nb'; printf '\377' >&2; exit 3`)
		if err != nil {
			t.Fatal(err)
		}
		authorization := out.Receipt.Authorization
		want := app.TmuxRunOut{
			ExitStatus: new(3), Stdout: app.OutputOut{Encoding: "utf-8", Data: "a\nb"}, Stderr: app.OutputOut{Encoding: "base64", Data: "/w=="},
			Receipt: app.RunReceipt{Completion: "observed", Authorization: app.Authorization{
				RunID: authorization.RunID, ScriptDigest: enroll.Digest(`printf 'a\nb'; printf '\377' >&2; exit 3`),
				ServerGeneration: h.reference(pane).Generation, PaneID: string(pane),
				ProcessGeneration: authorization.ProcessGeneration, EnrollmentGeneration: authorization.EnrollmentGeneration,
			}},
			EffectiveTimeout: 5,
		}
		if diff := cmp.Diff(want, out); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if authorization.RunID == "" || authorization.ProcessGeneration == "" || authorization.EnrollmentGeneration == "" {
			t.Errorf("the receipt misses something: %+v", authorization)
		}
		again, err := h.script(pane, "true")
		if err != nil {
			t.Fatal(err)
		}
		if got := again.Receipt.Authorization; got.RunID == authorization.RunID || got.EnrollmentGeneration != authorization.EnrollmentGeneration {
			t.Errorf("the second of one enrollment: %+v after %+v", got, authorization)
		}
		if after := h.world.String(); after != before {
			t.Errorf("the terminal shows something else (-before +after):\n%s", cmp.Diff(before, after))
		}
	})
}

// What a script cannot be, and where it cannot run, each with its name. Nothing is executed.
func TestScriptsThatAreRefused(t *testing.T) {
	inHouse(t, zsh, func(h *house) {
		pane := h.enrolled()
		other := h.world.Split(pane)
		h.awaitPrompt(other)
		in := func(change func(*app.TmuxRunIn)) app.TmuxRunIn {
			request := app.TmuxRunIn{Reference: h.reference(pane), Script: "echo executed >/tmp/executed"}
			change(&request)
			return request
		}
		for _, c := range []struct {
			name string
			in   app.TmuxRunIn
			kind fault.Kind
			says string
		}{
			{"nothing", in(func(r *app.TmuxRunIn) { r.Script = "" }), fault.InvalidInput, "script is empty"},
			{"too long", in(func(r *app.TmuxRunIn) { r.Script = strings.Repeat("x", 65537) }), fault.InvalidInput, "65537 bytes"},
			{"NUL", in(func(r *app.TmuxRunIn) { r.Script = "a\x00b" }), fault.InvalidInput, "NUL"},
			{"too much output", in(func(r *app.TmuxRunIn) { r.StdoutLimit = new(262145) }), fault.InvalidInput, "stdout_limit 262145"},
			{"a timeout that is none", in(func(r *app.TmuxRunIn) { r.Timeout = new(-1.0) }), fault.InvalidInput, "timeout"},
			{"another life", in(func(r *app.TmuxRunIn) { r.Generation = "g0123456789abcdef" }), fault.StaleTarget, "another life"},
			{"no pane", in(func(r *app.TmuxRunIn) { r.TargetID = "%99" }), fault.NotFound, "%99"},
			{"a window", in(func(r *app.TmuxRunIn) { r.TargetID = "@0" }), fault.InvalidInput, "target_id"},
			{"a pane that is not enrolled", in(func(r *app.TmuxRunIn) { r.TargetID = string(other) }), fault.NotFound, "no shell is enrolled"},
		} {
			_, err := h.app.TmuxRun(h.Context(), c.in)
			if f := h.wantFault(err, c.kind, ""); !strings.Contains(f.Message, c.says) || f.Receipt != nil || f.Delivery == fault.PossiblySent {
				t.Errorf("%s: %+v", c.name, f)
			}
		}
		if out, err := h.script(pane, "cat /tmp/executed"); err != nil || out.Stdout.Data != "" {
			t.Errorf("something was executed: %+v, %v", out, err)
		}
	})
}

// The answer is reserved at its greatest before anything is authorized.
func TestTheAnswerIsReserved(t *testing.T) {
	inHouse(t, zsh, func(h *house) {
		h.app.Close()
		small := app.New(h.ports(h.world), app.Options{MaxResultBytes: 100_000})
		defer small.Close()
		h.app = small
		pane := h.enrolled()
		if _, err := h.script(pane, "true"); !fault.Is(err, fault.Capacity) {
			t.Errorf("with the default limits: %v", err)
		}
		out, err := small.TmuxRun(h.Context(), app.TmuxRunIn{
			Reference: h.reference(pane), Script: "seq 1 3000", StdoutLimit: new(65536), StderrLimit: new(0),
		})
		if err != nil || len(out.Stdout.Data) != 13893 {
			t.Errorf("with smaller ones: %d bytes, %v", len(out.Stdout.Data), err)
		}
	})
}

// Every error after the authorization has its receipt, and says that the end was not seen.
func TestErrorsRetainTheReceipt(t *testing.T) {
	inHouse(t, zsh, func(h *house) {
		pane := h.enrolled()
		receipt := func(err error, kind fault.Kind, delivery fault.Delivery) {
			t.Helper()
			f, ok := errors.AsType[*fault.Error](err)
			if !ok || f.Kind != kind || f.Delivery != delivery {
				t.Fatalf("got %v, want %s, %s", err, kind, delivery)
			}
			got, ok := f.Receipt.(app.RunReceipt)
			if !ok || got.Completion != "unobserved" || got.Authorization.RunID == "" || got.Authorization.PaneID != string(pane) {
				t.Errorf("%s: receipt %+v", kind, f.Receipt)
			}
		}
		_, err := h.app.TmuxRun(h.Context(), app.TmuxRunIn{Reference: h.reference(pane), Script: "echo much", StdoutLimit: new(4)})
		receipt(err, fault.Capacity, fault.Observed)

		took := elapsed(func() { _, err = h.script(pane, "sleep 99") })
		receipt(err, fault.Deadline, fault.PossiblySent)
		if took != 5*time.Second {
			t.Errorf("it took %v", took)
		}
		took = elapsed(func() {
			_, err = h.app.TmuxRun(h.Context(), app.TmuxRunIn{Reference: h.reference(pane), Script: "sleep 999", Timeout: new(500.0)})
		})
		receipt(err, fault.Deadline, fault.PossiblySent)
		if took != 120*time.Second {
			t.Errorf("with a greater timeout than there is it took %v", took)
		}

		ctx, cancel := context.WithCancel(h.Context())
		time.AfterFunc(time.Second, cancel)
		_, err = h.app.TmuxRun(ctx, app.TmuxRunIn{Reference: h.reference(pane), Script: "sleep 99"})
		receipt(err, fault.Cancelled, fault.PossiblySent)

		time.AfterFunc(time.Second, func() { h.world.Replace(pane) })
		_, err = h.script(pane, "sleep 99")
		receipt(err, fault.CommandFailed, fault.PossiblySent)
	})
}

func TestOneScriptAtATime(t *testing.T) {
	inHouse(t, zsh, func(h *house) {
		pane := h.enrolled()
		time.AfterFunc(time.Second, func() {
			_, err := h.script(pane, "true")
			h.wantFault(err, fault.Refused, fault.Busy)
		})
		if _, err := h.script(pane, "sleep 2"); err != nil {
			t.Error(err)
		}
		if _, err := h.script(pane, "true"); err != nil {
			t.Errorf("afterwards: %v", err)
		}
	})
}

func TestThePersonTypes(t *testing.T) {
	inHouse(t, zsh, func(h *house) {
		pane := h.enrolled()
		h.world.Type(pane, "half a li")
		time.Sleep(time.Second)
		_, err := h.script(pane, "true")
		h.wantFault(err, fault.Refused, fault.Draft)
		h.world.Type(pane, "\x15") // C-u
		time.Sleep(time.Second)
		if _, err := h.script(pane, "true"); err != nil {
			t.Errorf("with the line empty again: %v", err)
		}
		h.world.Type(pane, "sleep 9\r")
		time.Sleep(time.Second)
		_, err = h.script(pane, "true")
		h.wantFault(err, fault.Refused, fault.Busy)
	})
}

// What happens to the pane between two steps, and how the call ends then. A script is executed in none of these.
func TestThePaneChangesBetweenTheSteps(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(h *house, pane tmux.PaneID)
		kind   fault.Kind
		reason fault.Reason
	}{
		{"it is respawned", func(h *house, pane tmux.PaneID) { h.world.Replace(pane) }, fault.StaleTarget, ""},
		{"it is killed", func(h *house, pane tmux.PaneID) { h.world.KillPane(pane) }, fault.NotFound, ""},
		{"it dies", func(h *house, pane tmux.PaneID) {
			h.world.SetOption(string(pane), "remain-on-exit", "on")
			h.world.Exit(pane, 3)
		}, fault.Refused, fault.Dead},
		{"tmux restarts", func(h *house, _ tmux.PaneID) { h.world.Restart("main") }, fault.StaleTarget, ""},
		{"tmux is killed", func(h *house, _ tmux.PaneID) { h.world.KillServer() }, fault.ServerGone, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			inHouse(t, zsh, func(h *house) {
				h.app.Close()
				faulty := porttest.NewFaulty(porttest.Ports{Reader: h.world, Enrollments: h.world, Authorizer: h.world})
				outside := h.ports(h.world)
				outside.Authorizer = faulty
				h.app = app.New(outside, app.Options{})
				defer h.app.Close()
				pane := h.enrolled()
				h.world.Split(pane, "record") // the server stays
				faulty.Inject("Authorize", porttest.Fault{Delay: time.Second, Times: 1})
				time.AfterFunc(time.Second/2, func() { c.change(h, pane) })
				ref := h.reference(pane)
				_, err := h.app.TmuxRun(h.Context(), app.TmuxRunIn{Reference: ref, Script: "true"})
				if f := h.wantFault(err, c.kind, c.reason); f.Receipt != nil || f.Delivery == fault.PossiblySent || f.Delivery == fault.Observed {
					t.Errorf("it is said to be authorized: %+v", f)
				}
				time.Sleep(time.Second)
				if c.kind == fault.ServerGone {
					return
				}
				if _, err = h.app.TmuxRun(h.Context(), app.TmuxRunIn{Reference: ref, Script: "true"}); err == nil {
					t.Error("the shell that is there now was taken for the enrolled one")
				}
			})
		})
	}
}

// A lost answer of tmux authorizes nothing.
func TestALostAuthorizationExecutesNothing(t *testing.T) {
	inHouse(t, zsh, func(h *house) {
		h.app.Close()
		faulty := porttest.NewFaulty(porttest.Ports{Authorizer: h.world})
		outside := h.ports(h.world)
		outside.Authorizer = faulty
		h.app = app.New(outside, app.Options{})
		defer h.app.Close()
		pane := h.enrolled()
		faulty.Inject("Authorize", porttest.Fault{Lost: true, Times: 1})
		_, err := h.script(pane, "echo executed >/tmp/executed")
		if f := h.wantFault(err, fault.TransportError, ""); f.Delivery != fault.NotSent || f.Receipt != nil {
			t.Errorf("%+v", f)
		}
		if out, err := h.script(pane, "cat /tmp/executed"); err != nil || out.Stdout.Data != "" {
			t.Errorf("it was executed: %+v, %v", out, err)
		}
	})
}

func TestEnrollmentIsBound(t *testing.T) {
	inHouse(t, zsh, func(h *house) {
		pane := h.shell()
		for _, c := range []struct {
			name    string
			ref     app.Reference
			options app.InviteOptions
			kind    fault.Kind
		}{
			{"another life", app.Reference{Generation: "g0123456789abcdef", TargetID: string(pane)}, app.InviteOptions{}, fault.StaleTarget},
			{"no pane", app.Reference{Generation: h.reference(pane).Generation, TargetID: "%99"}, app.InviteOptions{}, fault.NotFound},
			{"too long a life", h.reference(pane), app.InviteOptions{ExpiresIn: 301 * time.Second}, fault.InvalidInput},
			{"a life that is none", h.reference(pane), app.InviteOptions{ExpiresIn: -1}, fault.InvalidInput},
		} {
			if _, err := h.app.InviteShell(h.Context(), c.ref, c.options); !fault.Is(err, c.kind) {
				t.Errorf("%s: %v, want %s", c.name, err, c.kind)
			}
		}
		program := h.world.Split(pane, "record")
		_, err := h.app.InviteShell(h.Context(), h.reference(program), app.InviteOptions{})
		h.wantFault(err, fault.Refused, fault.NotAShell)

		invitation := h.invite(pane, app.InviteOptions{ExpiresIn: 300 * time.Second})
		if left := time.Until(invitation.ExpiresAt()); left != 300*time.Second {
			t.Errorf("it expires in %v", left)
		}
		words := invitation.ShellArguments()
		words[0] = "rm"
		if got := invitation.ShellArguments(); got[0] != "source" {
			t.Errorf("the words can be changed from outside: %q", got)
		}
		_, err = h.app.InviteShell(h.Context(), h.reference(pane), app.InviteOptions{})
		h.wantFault(err, fault.Refused, fault.Busy)
		short, cancel := context.WithTimeout(h.Context(), time.Second)
		defer cancel()
		if err := h.app.AcceptShell(short, invitation); !fault.Is(err, fault.Deadline) {
			t.Errorf("nobody answered: %v", err)
		}
		h.source(pane, invitation) // it had not expired
		if err := h.app.AcceptShell(h.Context(), invitation); err != nil {
			t.Error(err)
		}
		h.awaitPrompt(pane)
		if out, err := h.script(pane, "exit 9"); err != nil || *out.ExitStatus != 9 {
			t.Errorf("%+v, %v", out, err)
		}
	})
}

func TestInvitationsExpire(t *testing.T) {
	inHouse(t, zsh, func(h *house) {
		pane := h.shell()
		invitation := h.invite(pane, app.InviteOptions{})
		var err error
		if took := elapsed(func() { err = h.app.AcceptShell(h.Context(), invitation) }); took != 60*time.Second || !fault.Is(err, fault.Deadline) {
			t.Errorf("after %v: %v", took, err)
		}
		h.source(pane, invitation)
		h.awaitPrompt(pane)
		if err := h.app.AcceptShell(h.Context(), invitation); err == nil {
			t.Error("it was accepted too late")
		}
		for range 2 * enroll.MaxPanes { // their places are free again, whether somebody waited or not
			h.invite(pane, app.InviteOptions{ExpiresIn: time.Second})
			time.Sleep(2 * time.Second)
		}
		h.enroll(pane)
	})
}

func TestEightPanes(t *testing.T) {
	inHouse(t, zsh, func(h *house) {
		first := h.shell()
		var panes []tmux.PaneID
		for range enroll.MaxPanes + 1 {
			pane := h.world.AddWindow(h.world.SessionOf(first), "")
			h.awaitPrompt(pane)
			panes = append(panes, pane)
		}
		for _, pane := range panes[:enroll.MaxPanes] {
			h.enroll(pane)
		}
		_, err := h.app.InviteShell(h.Context(), h.reference(panes[enroll.MaxPanes]), app.InviteOptions{})
		if !fault.Is(err, fault.Capacity) {
			t.Errorf("the ninth: %v", err)
		}
		inParallel(enroll.MaxPanes, func(i int) {
			if out, err := h.script(panes[i], "echo $TMUX_PANE"); err != nil || out.Stdout.Data != string(panes[i])+"\n" {
				t.Errorf("%s: %+v, %v", panes[i], out, err)
			}
		})
		h.world.KillPane(panes[0])
		time.Sleep(time.Second)
		h.enroll(panes[enroll.MaxPanes])
	})
}

// A shell that is enrolled again has one enrollment: the newer.
func TestEnrolledAgain(t *testing.T) {
	inHouse(t, zsh, func(h *house) {
		pane := h.enrolled()
		first, err := h.script(pane, "true")
		if err != nil {
			t.Fatal(err)
		}
		h.enroll(pane)
		second, err := h.script(pane, "true")
		if err != nil {
			t.Fatal(err)
		}
		if a, b := first.Receipt.Authorization, second.Receipt.Authorization; a.EnrollmentGeneration == b.EnrollmentGeneration || a.ProcessGeneration != b.ProcessGeneration {
			t.Errorf("%+v, then %+v", a, b)
		}
	})
}

func TestOldTmuxEnrollsNobody(t *testing.T) {
	inHouse(t, fake.Options{Shell: guard.Zsh, Version: "3.2a"}, func(h *house) {
		_, err := h.app.InviteShell(h.Context(), h.reference(h.shell()), app.InviteOptions{})
		if f := h.wantFault(err, fault.Unsupported, ""); !strings.Contains(f.Message, "3.3") {
			t.Errorf("%v does not say which tmux is needed", f)
		}
	})
}

func TestCloseEndsEnrollments(t *testing.T) {
	inHouse(t, zsh, func(h *house) {
		pane := h.enrolled()
		other := h.world.Split(pane)
		h.awaitPrompt(other)
		invitation := h.invite(other, app.InviteOptions{})
		accepted := make(chan error, 1)
		go func() { accepted <- h.app.AcceptShell(h.Context(), invitation) }()
		time.Sleep(time.Second)
		h.app.Close()
		if err := <-accepted; !fault.Is(err, fault.Cancelled) {
			t.Errorf("who waited: %v", err)
		}
		_, err := h.script(pane, "true")
		if !fault.Is(err, fault.NotFound) {
			t.Errorf("a script after the end: %v", err)
		}
		if _, err := h.app.InviteShell(h.Context(), h.reference(pane), app.InviteOptions{}); !fault.Is(err, fault.Cancelled) {
			t.Errorf("an invitation after the end: %v", err)
		}
	})
}

// Go callers too are held to the selection of tools.
func TestEnrollmentIsPartOfTheTool(t *testing.T) {
	inHouse(t, zsh, func(h *house) {
		pane := h.shell()
		a := h.offering(frozen(t, app.Members(), surface.Wish{Exact: []string{"tmux_capabilities"}}, ""))
		defer a.Close()
		_, err := a.InviteShell(h.Context(), h.reference(pane), app.InviteOptions{})
		h.wantFault(err, fault.Unsupported, "")
		h.wantFault(a.AcceptShell(h.Context(), h.invite(pane, app.InviteOptions{})), fault.Unsupported, "")
	})
}
