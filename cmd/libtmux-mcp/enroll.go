package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"path/filepath"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/enroll"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver"
	"github.com/libtmux-mcp/libtmux-mcp/app"
	domain "github.com/libtmux-mcp/libtmux-mcp/domain/enroll"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/surface"
	"github.com/libtmux-mcp/libtmux-mcp/domain/target"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// scriptTool needs both its name and an enrollment.
const scriptTool = "tmux_run"

// A paneFile is a pane whose shell is invited, and where its setup goes.
type paneFile struct {
	pane tmux.PaneID
	file string
}

// enrollPanes reads --enroll-pane and --enrollment-timeout and holds them to the tools on offer.
func (f serveFlags) enrollPanes(choice surface.Choice) ([]paneFile, error) {
	if s := f.EnrollmentTimeout; math.IsNaN(s) || s <= 0 || s > domain.MaxLife.Seconds() {
		return nil, fmt.Errorf("--enrollment-timeout %v is out of range: more than 0, at most %v", s, domain.MaxLife.Seconds())
	}
	var panes []paneFile
	taken := map[string]bool{}
	for _, text := range f.EnrollPane {
		id, file, found := strings.Cut(text, "=")
		switch {
		case !found:
			return nil, fmt.Errorf("--enroll-pane %q is not %%ID=FILE", text)
		case strings.ContainsFunc(file, unicode.IsControl):
			return nil, fmt.Errorf("--enroll-pane holds a control character: %q", text)
		case !filepath.IsAbs(file):
			return nil, fmt.Errorf("--enroll-pane %s: the file %q is not an absolute path", id, file)
		}
		pane, err := target.ParsePane("--enroll-pane", id)
		if err != nil {
			return nil, err
		}
		for _, what := range []string{id, filepath.Clean(file)} {
			if taken[what] {
				return nil, fmt.Errorf("--enroll-pane names %s twice", what)
			}
			taken[what] = true
		}
		panes = append(panes, paneFile{pane, filepath.Clean(file)})
	}
	switch offered := choice.Freeze("").Offers(scriptTool); {
	case len(panes) > domain.MaxPanes:
		return nil, fmt.Errorf("--enroll-pane names %d panes: at most %d can be enrolled", len(panes), domain.MaxPanes)
	case offered && len(panes) == 0:
		return nil, fmt.Errorf("%s is enabled, but no shell is invited: add --enroll-pane %%ID=FILE, or leave the tool out", scriptTool)
	case !offered && len(panes) > 0:
		return nil, fmt.Errorf("--enroll-pane is given, but %s is not enabled: add --enable-tool %s", scriptTool, scriptTool)
	}
	return panes, nil
}

// An enlistment is the invitations that were made at launch, and their files.
type enlistment struct {
	cancel context.CancelFunc
	work   sync.WaitGroup
}

// enlist invites the shells and writes their files; all of them, or none. It then waits for them by itself, until close.
func (c config) enlist(ctx context.Context, application *app.App, server *tmuxserver.Server, logger *slog.Logger) (*enlistment, error) {
	ctx, cancel := context.WithCancel(ctx)
	e := &enlistment{cancel: cancel}
	if len(c.enroll) == 0 {
		return e, nil
	}
	looking, done := context.WithTimeout(ctx, c.timeout)
	defer done()
	t, err := server.Topology(looking, tmux.DetailBrief)
	if err == nil && !t.Running {
		err = errors.New("no tmux server runs there")
	}
	for _, at := range c.enroll {
		if err != nil {
			break
		}
		err = e.invite(ctx, application, t.Server, at, c.enrollmentLife, logger)
	}
	if err != nil {
		e.close()
		f, ok := errors.AsType[*fault.Error](err)
		if ok && f.Recovery != "" {
			err = fmt.Errorf("%w (%s)", err, f.Recovery)
		}
		return nil, fmt.Errorf("--enroll-pane: %w", err)
	}
	return e, nil
}

func (e *enlistment) invite(ctx context.Context, application *app.App, server tmux.Server, at paneFile, life time.Duration, logger *slog.Logger) error {
	invitation, err := application.InviteShell(ctx, app.Reference{Generation: string(server.Generation), TargetID: string(at.pane)}, app.InviteOptions{ExpiresIn: life})
	if err != nil {
		return err
	}
	file, err := enroll.WriteFile(at.file, invitation.ShellArguments())
	if err != nil {
		return err
	}
	logger.Info("a shell is invited", "pane", at.pane, "source", at.file, "until", invitation.ExpiresAt())
	e.work.Go(func() {
		err := application.AcceptShell(ctx, invitation)
		if removed := file.Remove(); removed != nil {
			logger.Error("a setup file is left", "file", at.file, "err", removed)
		}
		switch {
		case err == nil:
			logger.Info("a shell is enrolled", "pane", at.pane)
		case ctx.Err() == nil:
			logger.Warn("a shell is not enrolled", "pane", at.pane, "err", err)
		}
	})
	return nil
}

// close takes back what is pending, and removes its files.
func (e *enlistment) close() {
	e.cancel()
	e.work.Wait()
}
